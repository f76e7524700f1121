// What `aisp tune gemm` asks of whoever has the kernels, so that the command can be tested with
// others and knows none itself.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/case/rung.hpp"
#include "lab/device/device.hpp"
#include "tile/device/gemm/tuned.hpp"

namespace aisp::app {

// A way to prepare D (m, n) = A (m, k) times the transpose of B (n, k) on the problem of
// lab::gemm_problem, whose inputs are A and B and whose output is D. It refuses (base::Refusal)
// what it does not take.
using Prepare = std::function<lab::Run(lab::Setup&)>;

struct Candidate {
  tile::device::TunedChoice choice;  // what is kept when it is the fastest; its time is filled in
  lab::Needs needs = lab::Needs::sm_90a;
  Prepare prepare;
};

class Tuner {
 public:
  virtual ~Tuner() = default;

  // Refuses (Exit::environment) where there is none.
  virtual std::unique_ptr<lab::Device> open_device() = 0;
  // The device that open_device gives, as the library will ask for it.
  virtual tile::device::TunedDevice identity() = 0;

  // Every way the library has; the one it takes without a tuned file stands first.
  virtual std::vector<Candidate> candidates(const tile::device::GemmKey& key) = 0;

  // The names that --against takes, and what they stand for.
  virtual std::vector<std::string> opponents() = 0;
  virtual Prepare opponent(const std::string& name) = 0;
};

// That of the tile library's matrix products; refuses (Exit::environment) in a build without them.
std::unique_ptr<Tuner> make_gemm_tuner();

}  // namespace aisp::app
