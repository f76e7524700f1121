// The fields of convolutions for the cache of plans.
#pragma once

#include "tile/device/conv2d/problem.hpp"
#include "tile/device/launch/problem_key.hpp"

namespace aisp::tile::device {

inline void add_fields(ProblemKey& key, const HeightWidth& both) {
  const auto& [h, w] = both;
  key.add(h, w);
}
inline void add_fields(ProblemKey& key, const Conv2dProblem& problem) {
  const auto& [n, h, w, c, k, r, s, stride, padding, dilation, groups, direction, element, out,
               alpha, x, filter, bias, y, dy, dx, dw] = problem;
  key.add(n, h, w, c, k, r, s, stride, padding, dilation, groups, direction, element, out, alpha, x,
          filter, bias, y, dy, dx, dw);
}

}  // namespace aisp::tile::device
