// The arguments of the kernel attention_forward.
#pragma once

#include "tile/collective/attention/params.hpp"
#include "tile/schedule/attention_tiles.hpp"

namespace aisp::tile {

struct AttentionForward {
  AttentionParams params;
  AttentionTiles tiles;
  // The next tile and how many blocks are done, both 0 before and after a launch; null: blocks take
  // every gridDim-th tile.
  unsigned* next;
};

}  // namespace aisp::tile
