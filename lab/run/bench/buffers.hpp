// The device memory of one problem: several sets of inputs and outputs, each set with its own
// random values, so that neither data nor cache contents repeat from sample to sample.
#pragma once

#include <cstdint>
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

  void poison(int set);
  Launch launch(int set) const;

  // What the outputs of a set hold now.
  std::vector<HostTensor> outputs(int set) const;

  // Compares the outputs of a set with the reference, as far as the rung may be off, and its inputs
  // with what was uploaded.
  Judgement judge(int set, const Rung& rung, const Inputs& inputs,
                  const std::vector<std::vector<double>>& expected) const;

 private:
  struct Set {
    std::vector<Buffer> inputs, outputs;
  };
  Device& device_;
  const Problem& problem_;
  std::vector<Set> sets_;
};

}  // namespace aisp::lab
