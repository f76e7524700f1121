// How configurations are checked at compile time, and the rules that all architectures share. A
// rule is a type with `kept`, and with a `Said` whose static_assert ends the compile; its numbers
// are template arguments, which the compiler prints. Only the first broken rule is reported.
#pragma once

#include <tuple>

#include "tile/arch/limits.hpp"

namespace aisp::tile::rules {

template <int tile_k, int step_k>
struct TileK {
  static constexpr bool kept = tile_k % step_k == 0;
  struct Said {
    static_assert(kept, "tile_k must be a multiple of one instruction's k (32 bytes of a row)");
  };
};
template <int line_bytes, int swizzle>
struct Panels {
  static constexpr bool kept = line_bytes % swizzle == 0;
  struct Said {
    static_assert(kept, "an operand's contiguous side must be a multiple of the swizzle's width");
  };
};
template <int cluster_m, int cluster_n>
struct ClusterSize {
  static constexpr bool kept = cluster_m * cluster_n <= arch::limits_of(90).cluster_blocks;
  struct Said {
    static_assert(kept, "a cluster has at most 8 blocks: lower cluster_m or cluster_n");
  };
};
template <int lines, int lines_times_blocks>
struct MulticastParts {
  static constexpr bool kept = lines % lines_times_blocks == 0;
  struct Said {
    static_assert(
        kept,
        "each block of a cluster loads an equal part of a multicast tile, in groups of 8 lines");
  };
};
template <int shared_memory, int budget>
struct SharedMemory {
  static constexpr bool kept = shared_memory <= budget;
  struct Said {
    static_assert(kept,
                  "stages * (tile_m + tile_n) * tile_k * element bytes + staging exceed a block's "
                  "shared memory: lower stages or the tile");
  };
};

// The number of the first broken rule, or how many there are.
template <class... Rules>
TILE_FN int first_broken() {
  int first = 0;
  (void)((Rules::kept && (++first, true)) && ...);
  return first;
}
template <bool speaks, class... Rules>
TILE_FN bool kept() {
  constexpr int first = first_broken<Rules...>();
  if constexpr (first == sizeof...(Rules))
    return true;
  else if constexpr (speaks)
    return sizeof(typename std::tuple_element_t<first, std::tuple<Rules...>>::Said) > 0;
  return false;
}

}  // namespace aisp::tile::rules
