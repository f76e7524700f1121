// A tensor of a call on the host, for the reference and for whatever else runs a function there.
#pragma once

#include <cstdint>
#include <vector>

namespace aisp::jit {

// Row-major without gaps; an array has one axis.
template <class Number>
struct TensorOf {
  std::vector<std::int64_t> extents;
  std::vector<Number> values;
};

using HostTensor = TensorOf<double>;

}  // namespace aisp::jit
