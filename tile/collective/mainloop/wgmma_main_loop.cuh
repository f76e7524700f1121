// The seam between the kernels for wgmma and main loops: what a kernel asks of the loop that a
// recipe names. A main loop says which kernel it is for: `loads_operands` is false where a role of
// the block brings the operands, true where the threads that multiply ask for them.
#pragma once

#include <concepts>

#include "tile/collective/load/loader_sm90.cuh"
#include "tile/collective/mainloop/accumulators.cuh"

namespace aisp::tile {

// One math warpgroup's, whose rows of the block's tile begin with `first_row`.
template <class Loop, Sm90Config config>
concept ConsumerMainLoop =
    !Loop::loads_operands &&
    requires(Loop loop, Sm90Buffers<config>& buffers, ClusterCoord coord, int first_row,
             Accumulators<config>& accumulators, int k_blocks) {
  Loop(buffers, coord, first_row);
  loop.multiply(accumulators, k_blocks);  // accumulators = A B, the last products may be under way
  loop.finish(accumulators);              // until here
  loop.skip(k_blocks);                    // over those of another warpgroup
};

// ... in a block without roles.
template <class Loop, Sm90Config config>
concept SelfLoadingMainLoop = Loop::loads_operands &&
    requires(Loop loop, Accumulators<config>& accumulators, const BlockTile& tile) {
  loop.multiply(accumulators, tile);
};

template <class Loop, Sm90Config config>
concept MainLoop = ConsumerMainLoop<Loop, config> || SelfLoadingMainLoop<Loop, config>;

}  // namespace aisp::tile
