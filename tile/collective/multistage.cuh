// The main loop of Ampere: k tiles arrive in a ring of stages and all warps multiply what landed
// before. Fragments of the next k step are read while those of this one are multiplied. Parameters
// are the atom, so that the same loop runs on every generation's instruction, and the feed: how
// tiles get into the stages.
#pragma once

#include "tile/collective/multistage_config.hpp"
#include "tile/pipeline/cp_async_ring.cuh"
#include "tile/tiled/tiled_copy.cuh"
#include "tile/tiled/tiled_mma.cuh"

namespace tile {

// What a feed brings: k tiles of A and B, to a block of `threads`.
struct FedTiles {
  OperandTile a, b;
  int stages = 0, threads = 0;
};

template <FedTiles tiles>
struct OperandStages {
  alignas(1024) char a[tiles.stages][tiles.a.bytes()];
  alignas(1024) char b[tiles.stages][tiles.b.bytes()];
};

// All threads copy, by cp.async. A feed fills the next slot, waits for the one to read, releases it
// and, after the last tile, drains: no copy is then under way.
template <FedTiles tiles>
class CpAsyncFeed {
 public:
  using Operand = OperandMatrix;
  using ACopy = TiledCopy<tiles.a, tiles.threads>;
  using BCopy = TiledCopy<tiles.b, tiles.threads>;
  using Shared = OperandStages<tiles>;

  TILE_DEVICE explicit CpAsyncFeed(Shared& shared) : shared_(shared) {}
  TILE_DEVICE const Shared& stages() const { return shared_; }

  TILE_DEVICE void fill(ACopy& a, BCopy& b) {
    const int slot = ring_.acquire();
    a.copy(shared_.a[slot]);
    b.copy(shared_.b[slot]);
    ring_.commit();
  }
  TILE_DEVICE int wait() const { return ring_.wait(); }
  TILE_DEVICE void release() { ring_.release(); }
  TILE_DEVICE void drain() {
    ring_.drain();
    ring_ = {};
  }

 private:
  Shared& shared_;
  CpAsyncRing<tiles.stages> ring_;
};

template <class Atom, MultistageConfig config, template <FedTiles> class FeedOf = CpAsyncFeed>
class Multistage {
  static_assert(multistage_admitted<Atom, config>);
#ifdef __CUDA_ARCH__
  static_assert(sizeof(AtomExists<Atom, __CUDA_ARCH__ / 10>) > 0);
#endif

 public:
  using Mma = TiledMma<Atom, config.tiling()>;
  using Sums = WarpSums<Mma>;
  static constexpr OperandTile a_tile = config.a_tile(Atom::element);
  static constexpr OperandTile b_tile = config.b_tile(Atom::element);
  static constexpr FedTiles tiles{a_tile, b_tile, config.stages, Mma::threads};
  static_assert(sizeof(OperandStages<tiles>) == config.shared_bytes(Atom::element));

  using Feed = FeedOf<tiles>;
  using Operand = typename Feed::Operand;
  using ACopy = typename Feed::ACopy;
  using BCopy = typename Feed::BCopy;
  using Shared = typename Feed::Shared;

  TILE_DEVICE explicit Multistage(Shared& shared) : feed_(shared) {}

  // sums = A B over the next `k_tiles` of both copies.
  TILE_DEVICE void multiply(Sums& sums, ACopy a_copy, BCopy b_copy, int k_tiles) {
    sums.clear();
    if (k_tiles == 0) return;
    __syncthreads();  // nobody still reads what an earlier call left in the slots
    // Past the last tile too: without a branch the copies mix with the products, and behind the
    // end of k they bring zeros.
#pragma unroll
    for (int ahead = 1; ahead < config.stages; ++ahead) feed_.fill(a_copy, b_copy);

    const auto& stages = feed_.stages();
    Fragment<Mma, Side::a> a[2];
    Fragment<Mma, Side::b> b[2];
    int slot = feed_.wait();
    a_reader_.read(a[0], stages.a[slot], 0);
    b_reader_.read(b[0], stages.b[slot], 0);
    for (; k_tiles > 0; --k_tiles) {
#pragma unroll
      for (int step = 0; step < Mma::steps; ++step) {
        const int now = step % 2, next = 1 - now;
        if (step == Mma::steps - 1) {
          feed_.release();
          slot = feed_.wait();  // after the last tile too: what is then read is not used
        }
        a_reader_.read(a[next], stages.a[slot], (step + 1) % Mma::steps);
        b_reader_.read(b[next], stages.b[slot], (step + 1) % Mma::steps);
        if (step == 0) feed_.fill(a_copy, b_copy);  // the slot that the last wait() has emptied
        multiply_step(sums, a[now], b[now]);
      }
    }
    feed_.drain();
  }

 private:
  Feed feed_;
  FragmentReader<Mma, Side::a, a_tile> a_reader_;
  FragmentReader<Mma, Side::b, b_tile> b_reader_;
};

}  // namespace tile
