// The kernel of Ampere and older: every thread multiplies and stores; a block takes tiles as its
// schedule hands them out. A recipe names atom, configuration, epilogue, schedule and the feed.
#pragma once

#include "tile/collective/epilogue/fragment_epilogue.cuh"
#include "tile/collective/mainloop/mma_sync.cuh"
#include "tile/kernel/tile_scheduler_loop.cuh"
#include "tile/schedule/work.hpp"

namespace aisp::tile {

template <class Atom_, Sm80Config config_, class Epilogue_, TileSchedule Schedule_,
          template <FedTiles> class Feed = CpAsyncFeed>
struct Sm80Recipe {
  using Atom = Atom_;
  static constexpr Sm80Config config = config_;
  using Epilogue = Epilogue_;
  using Schedule = Schedule_;
  using MainLoop = Multistage<Atom, config, Feed>;
  static_assert(WarpMainLoop<MainLoop>);
  // Dynamic shared memory to ask for: it starts at a multiple of 16 only.
  static constexpr int shared_bytes = static_cast<int>(sizeof(typename MainLoop::Shared)) + 1024;
};

template <class Recipe>
struct Sm80Params {
  typename Recipe::MainLoop::Operand a, b;
  typename Recipe::Epilogue::Params epilogue;
  typename Recipe::Schedule::Params schedule;  // of tiles tile_m x tile_n x tile_k, not shared
};

template <class Recipe>
TILE_DEVICE void multistage_body(const Sm80Params<Recipe>& params) {
  using MainLoop = typename Recipe::MainLoop;
  extern __shared__ char raw[];
  auto& shared = *reinterpret_cast<typename MainLoop::Shared*>(
      raw + (1024 - arch::shared_address(raw) % 1024) % 1024);

  MainLoop loop(shared);
  tile_scheduler_loop<Recipe>(loop, params);
}

template <class Recipe>
__global__ void __launch_bounds__(Recipe::config.threads(), Recipe::config.blocks_per_sm)
    gemm_sm80(const __grid_constant__ Sm80Params<Recipe> params) {
  multistage_body<Recipe>(params);
}

}  // namespace aisp::tile
