// Random layouts for property tests: the same seed gives the same layouts.
#pragma once

#include <cstdint>
#include <utility>

#include "tile/layout/modes.hpp"

namespace aisp::tile {

class LayoutGenerator {
 public:
  explicit LayoutGenerator(std::uint64_t seed) : state_(seed * 2654435769u + 1) {}

  // Uniform in [0, bound).
  int below(int bound) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int>((state_ >> 33) % static_cast<unsigned>(bound));
  }

  // 1 to 5 leaves, up to three levels, at most 6^5 indices.
  Shape shape() {
    const int leaves = 1 + below(5);
    Shape out;
    for (int at = 0; at < leaves;) {
      const int together = 1 + below(leaves - at);
      Shape mode;
      for (int k = 0; k < together; ++k) mode.push(extent());
      if (together > 1 || below(4) == 0) mode.wrap();
      out.push(mode);
      at += together;
    }
    if (!is_leaf(out) || below(2)) out.wrap();
    return out;
  }

  // One to one onto 0…size-1: the leaves in any order.
  Layout bijective() {
    const Shape extents = shape();
    int order[max_leaves] = {};
    for (int at = 0; at < extents.count; ++at) order[at] = at;
    for (int at = extents.count - 1; at > 0; --at) std::swap(order[at], order[below(at + 1)]);
    Stride stride = extents;
    int step = 1;
    for (int at = 0; at < extents.count; ++at) {
      stride.leaf[order[at]] = step;
      step *= extents.leaf[order[at]];
    }
    return {extents, stride};
  }

  // One to one, with holes: a bijective layout whose strides are spread.
  Layout nested() {
    const Layout dense = bijective();
    const int gap = 1 + below(3);
    Stride stride = dense.stride;
    for (int at = 0; at < stride.count; ++at)
      stride.leaf[at] *= dense.stride.leaf[at] > 4 ? gap : 1;
    return {dense.shape, stride};
  }

  // Anything, broadcasts and overlaps too.
  Layout any() {
    const Shape extents = shape();
    Stride stride = extents;
    for (int at = 0; at < stride.count; ++at) stride.leaf[at] = below(20);
    return {extents, stride};
  }

 private:
  int extent() {
    static constexpr int likely[] = {1, 2, 2, 2, 3, 4, 4, 6};
    return likely[below(8)];
  }

  std::uint64_t state_;
};

}  // namespace aisp::tile
