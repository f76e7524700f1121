// The seam between the kernels for mma.sync and main loops: all warps of a block load and share a
// tile.
#pragma once

#include <concepts>

namespace aisp::tile {

template <class Loop>
concept WarpMainLoop = Loop::loads_operands &&
    requires(Loop loop, typename Loop::Shared& shared, typename Loop::Accumulators& accumulators,
             typename Loop::ACopy a, typename Loop::BCopy b, int k_blocks) {
  Loop(shared);
  loop.multiply(accumulators, a, b, k_blocks);  // accumulators = A B
};

}  // namespace aisp::tile
