// The device memory of one problem: several sets of inputs and outputs, each set with its own
// random values, so that neither data nor cache contents repeat from sample to sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/case/rung.hpp"
#include "lab/device/device.hpp"
#include "lab/judge/judge.hpp"

namespace aisp::lab {

class Buffers {
 public:
  Buffers(Device& device, const Problem& problem, int sets);

  int sets() const { return static_cast<int>(sets_.size()); }

  // Draws the inputs of a set from the seed, uploads them and returns them.
  Inputs draw(int set, std::uint64_t seed);
  void upload(int set, const Inputs& inputs);
  void upload_element(int set, int input, std::int64_t element, std::span<const std::byte> bytes);
  void copy_element(int set, int input, std::int64_t element, const void* from);  // in stream order

  void poison(int set);
  Launch launch(int set) const;

  // Copies the outputs of a set in stream order. What is judged is this copy: what a stream writes
  // later, because launch.stream does not wait for it, is not in it.
  void keep_outputs(int set);
  std::vector<HostTensor> kept_outputs() const;

  // Compares the kept outputs with the reference, as far as the rung may be off.
  Judgement judge_outputs(const Rung& rung, const Inputs& inputs,
                          const std::vector<std::vector<double>>& expected) const;
  // The same, and the inputs of a set with what was uploaded.
  Judgement judge(int set, const Rung& rung, const Inputs& inputs,
                  const std::vector<std::vector<double>>& expected) const;

 private:
  std::byte* place_of(int set, int input, std::int64_t element) const;

  struct Set {
    std::vector<Buffer> inputs, outputs;
  };
  Device& device_;
  const Problem& problem_;
  std::vector<Set> sets_;
  std::vector<Buffer> kept_;  // one for each output, made at first use
};

}  // namespace aisp::lab
