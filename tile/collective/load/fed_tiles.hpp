// What a feed of the multistage main loop brings, and where it lies in shared memory.
#pragma once

#include "tile/tiled/operand_tile.hpp"

namespace aisp::tile {

// K-blocks of A and B, to a block of `threads`.
struct FedTiles {
  OperandTile a, b;
  int stages = 0, threads = 0;
};

template <FedTiles tiles>
struct OperandStages {
  alignas(1024) char a[tiles.stages][tiles.a.bytes()];  // (BLK_M, BLK_K, STAGES)
  alignas(1024) char b[tiles.stages][tiles.b.bytes()];  // (BLK_N, BLK_K, STAGES)
};

}  // namespace aisp::tile
