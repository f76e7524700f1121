// The k-blocks of several output tiles, laid end to end and cut into near-equal ranges, one per
// cluster. A cut that would leave less than `least` k-blocks of a tile on one side moves to the
// tile's edge.
#pragma once

#include "tile/layout/target.hpp"

namespace aisp::tile {

struct KRanges {
  int k_blocks = 1;  // per output tile, at least 2 * least where there are ranges
  int total = 0;     // k-blocks of all output tiles
  int ranges = 0;    // at most total / least: then two cuts in one tile are `least` apart
  int least = 1;

  // Where range `range` begins; cut(ranges) is the end of all. Rises with `range`.
  TILE_FN int cut(int range) const {
    const int even = even_cut(range);
    const int in_tile = even % k_blocks;
    if (in_tile < least) return even - in_tile;
    return k_blocks - in_tile < least ? even - in_tile + k_blocks : even;
  }

  // The range that holds k-block `position`. A cut moves by less than `least`, no more than a range
  // is long, so that the first guess is off by one at most, or by two where a range is empty.
  TILE_FN int holder(int position) const {
    const int longer = total % ranges * (total / ranges + 1);  // k-blocks in ranges longer by one
    int range = position < longer ? position / (total / ranges + 1)
                                  : total % ranges + (position - longer) / (total / ranges);
    while (cut(range) > position) --range;
    while (cut(range + 1) <= position) ++range;
    return range;
  }

 private:
  TILE_FN int even_cut(int range) const {
    const int extra = total % ranges;
    return range * (total / ranges) + (range < extra ? range : extra);
  }
};

}  // namespace aisp::tile
