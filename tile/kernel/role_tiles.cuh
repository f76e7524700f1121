// The tiles of a role of a Blackwell kernel, one after the other: from the role's own copy of the
// schedule, or from the answers of the launch control, which all roles of a cluster read.
#pragma once

#include "tile/arch/warp.cuh"
#include "tile/pipeline/launch_control_ring.cuh"
#include "tile/schedule/launch_control.hpp"

namespace aisp::tile {

template <class Schedule>
constexpr bool takes_over = requires {
  Schedule::takes_over;
};

// What the launch control leaves in shared memory; nothing where the schedule is known beforehand.
struct NoAnswers {};
template <class Recipe>
struct TileAnswers {
  // Of each block the loader, four storing warps and the asker read; of each pair the issuer.
  static constexpr int blocks = Recipe::config.blocks();
  static constexpr int readers = blocks * (1 + 4 + 1) + blocks / Recipe::config.cta_group;
  using Ring = LaunchControlRing<2, blocks, readers>;
  using Shared =
      std::conditional_t<takes_over<typename Recipe::Schedule>, typename Ring::Shared, NoAnswers>;
};

// `threads` of a warp go through the tiles together: 1 or 32.
template <class Recipe, int threads>
class RoleTiles {
 public:
  using Schedule = typename Recipe::Schedule;
  using Answers = TileAnswers<Recipe>;

  TILE_DEVICE RoleTiles(const typename Schedule::Params& params, typename Answers::Shared&)
      : schedule_(params, static_cast<int>(blockIdx.x) / Answers::blocks,
                  static_cast<int>(gridDim.x) / Answers::blocks) {}
  TILE_DEVICE bool next(WorkTile& work) { return schedule_.next(work); }

 private:
  Schedule schedule_;
};

template <class Recipe, int threads>
requires takes_over<typename Recipe::Schedule>
class RoleTiles<Recipe, threads> {
 public:
  using Answers = TileAnswers<Recipe>;
  using Params = typename Recipe::Schedule::Params;

  TILE_DEVICE RoleTiles(const Params& params, typename Answers::Shared& shared)
      : tiles_(params), ring_(shared), block_(static_cast<int>(blockIdx.x)) {}

  TILE_DEVICE bool next(WorkTile& work) {
    if (begun_ && !another()) return false;
    begun_ = true;
    work = tiles_.at(block_ / Answers::blocks);
    return true;
  }

 private:
  TILE_DEVICE bool another() {
    const bool taken = ring_.wait(at_, block_);
    if constexpr (threads > 1) __syncwarp();
    if (threads == 1 || arch::elect_one()) ring_.release(at_);
    ++at_;
    return taken;
  }

  const Params& tiles_;
  typename Answers::Ring ring_;
  typename Answers::Ring::State at_ = Answers::Ring::State::reader();
  int block_;
  bool begun_ = false;
};

// The asking role, one thread of each block: a question ahead of the roles, until there is no
// further tile.
template <class Recipe>
TILE_DEVICE void ask_role(typename TileAnswers<Recipe>::Shared& shared) {
  if constexpr (takes_over<typename Recipe::Schedule>) {
    using Ring = typename TileAnswers<Recipe>::Ring;
    Ring ring(shared);
    auto ask = Ring::State::writer(), read = Ring::State::reader();
    for (bool more = true; more; ++ask, ++read) {
      ring.acquire(ask);
      ring.commit(ask);
      int block;
      more = ring.wait(read, block);
      ring.release(read);
    }
  }
}

}  // namespace aisp::tile
