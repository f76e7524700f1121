// How many blocks a launch needs, from the extents of its tensors: the affine forms of the
// program, in a shape that a call computes without looking at the program again.
#pragma once

#include <span>

#include "jit/ir/function.hpp"
#include "jit/run/tensor.hpp"

namespace aisp::jit {

class GridForm {
 public:
  explicit GridForm(const Function& function);

  // Of all dimensions together. `arrays`: the counts of the array parameters.
  std::int64_t blocks(std::span<const Tensor> tensors, std::span<const std::int64_t> arrays) const;

 private:
  struct Term {
    std::size_t parameter, axis;
    std::int64_t times;
  };
  struct Dimension {
    std::int64_t constant = 0, size = 1;
    std::vector<Term> terms;
  };

  const Function& function_;
  std::vector<Dimension> dimensions_;
  bool affine_ = true;  // else the function is asked
};

}  // namespace aisp::jit
