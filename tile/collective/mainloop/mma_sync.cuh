// The main loop of Ampere: k-blocks arrive in a ring of stages and all warps multiply what landed
// before. Fragments of the next k step are read while those of this one are multiplied. Parameters
// are the atom, so that the same loop runs on every generation's instruction, and the feed: how
// tiles get into the stages.
#pragma once

#include "tile/collective/gemm_config_sm80.hpp"
#include "tile/collective/load/cp_async_feed.cuh"
#include "tile/collective/mainloop/warp_main_loop.hpp"
#include "tile/tiled/tiled_mma.cuh"

namespace aisp::tile {

template <class Atom, Sm80Config config, template <FedTiles> class FeedOf = CpAsyncFeed>
class Multistage {
  static_assert(multistage_admitted<Atom, config>);
#ifdef __CUDA_ARCH__
  static_assert(sizeof(AtomExists<Atom, __CUDA_ARCH__ / 10>) > 0);
#endif

 public:
  static constexpr bool loads_operands = true;
  using Mma = TiledMma<Atom, config.tiling()>;
  using Accumulators = WarpAccumulators<Mma>;
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

  // accumulators = A B over the next `k_blocks` of both copies.
  TILE_DEVICE void multiply(Accumulators& accumulators, ACopy a_copy, BCopy b_copy, int k_blocks) {
    accumulators.clear();
    if (k_blocks == 0) return;
    __syncthreads();  // nobody still reads what an earlier call left in the slots
    // Past the last k-block too: without a branch the copies mix with the products, and behind the
    // end of k they bring zeros.
#pragma unroll
    for (int ahead = 1; ahead < config.stages; ++ahead) feed_.fill(a_copy, b_copy);

    const auto& stages = feed_.stages();  // a (BLK_M, BLK_K, STAGES), b (BLK_N, BLK_K, STAGES)
    Fragment<Mma, Side::a> a[2];          // (K_ATOMS, M_ATOMS, MMA_A, PIPE)
    Fragment<Mma, Side::b> b[2];          // (K_ATOMS, N_ATOMS, MMA_B, PIPE)
    int slot = feed_.wait();
    a_reader_.read(a[0], stages.a[slot], 0);  // (BLK_M, BLK_K) -> (K_ATOMS, M_ATOMS, MMA_A)
    b_reader_.read(b[0], stages.b[slot], 0);  // (BLK_N, BLK_K) -> (K_ATOMS, N_ATOMS, MMA_B)
    for (; k_blocks > 0; --k_blocks) {
#pragma unroll
      for (int step = 0; step < Mma::steps; ++step) {
        const int now = step % 2, next = 1 - now;
        if (step == Mma::steps - 1) {
          feed_.release();
          slot = feed_.wait();  // after the last k-block too: what is then read is not used
        }
        a_reader_.read(a[next], stages.a[slot], (step + 1) % Mma::steps);
        b_reader_.read(b[next], stages.b[slot], (step + 1) % Mma::steps);
        if (step == 0) feed_.fill(a_copy, b_copy);  // the slot that the last wait() has emptied
        multiply_step(accumulators, a[now], b[now]);
      }
    }
    feed_.drain();
  }

 private:
  Feed feed_;
  FragmentReader<Mma, Side::a, a_tile> a_reader_;
  FragmentReader<Mma, Side::b, b_tile> b_reader_;
};

static_assert(WarpMainLoop<Multistage<MmaSync<Element::bf16>, Sm80Config{}>>);

}  // namespace aisp::tile
