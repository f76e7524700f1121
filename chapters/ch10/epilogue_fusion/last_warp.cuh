// A node of an epilogue tree of this target's own: the largest magnitude, without anybody setting
// it to 0 before the kernel. Warps meet on a board; the last one publishes and wipes it.
#pragma once

#include "tile/arch/memory.cuh"
#include "tile/arch/warp.cuh"
#include "tile/collective/epilogue/nodes.hpp"

namespace aisp::ch10 {

// In global memory, all 0 before the first launch; every launch leaves it so.
struct AmaxBoard {
  unsigned bits;     // of the largest magnitude so far
  unsigned arrived;  // warps that have brought theirs
};

template <tile::EpilogueNode X>
struct LastWarpAmax {
  struct Params {
    typename X::Params of{};
    float* largest = nullptr;  // written by the last warp
    AmaxBoard* board = nullptr;
    int warps_of_block = 0;  // that call finish()
  };
  using Inner = tile::Amax<X>;
  using State = typename Inner::State;

  template <class V>
  TILE_INLINE static TILE_FN auto visit(const Params& params, State& state,
                                        const tile::EpilogueFragment<V>& accumulators,
                                        tile::OutputCoord coord, tile::Extent extent) {
    return Inner::visit({.of = params.of}, state, accumulators, coord, extent);
  }

  TILE_DEVICE static void finish(const Params& params, State& state) {
    X::finish(params.of, state.of);
    const unsigned bits = __reduce_max_sync(0xffffffff, __float_as_uint(state.largest));
    if (tile::arch::lane_index() != 0) return;
    AmaxBoard& board = *params.board;
    atomicMax(&board.bits, bits);
    // The maximum is there before its warp is counted.
    const unsigned warps = gridDim.x * static_cast<unsigned>(params.warps_of_block);
    if (tile::arch::add_acquire_release(&board.arrived, 1) != warps - 1) return;
    *params.largest = __uint_as_float(atomicExch(&board.bits, 0u));
    atomicExch(&board.arrived, 0u);
  }
};

}  // namespace aisp::ch10
