// The main loop of the thread that issues products on Blackwell, operands in shared memory: it
// waits for tiles, multiplies them into an accumulator in tensor memory and promises their slots.
#pragma once

#include "tile/arch/tcgen05_mma.cuh"
#include "tile/collective/load/umma_loader.cuh"

namespace aisp::tile {

TILE_FN UmmaSwizzle umma_swizzle(SwizzleMode swizzle) {
  using enum UmmaSwizzle;
  return swizzle == SwizzleMode::bytes_128  ? bytes_128
         : swizzle == SwizzleMode::bytes_64 ? bytes_64
         : swizzle == SwizzleMode::bytes_32 ? bytes_32
                                            : none;
}

template <OperandTile tile>
TILE_DEVICE std::uint64_t umma_operand(const char* start) {
  constexpr DescriptorStrides strides = descriptor_strides<tile>();
  return umma_matrix_descriptor(arch::shared_address(start), strides.leading, strides.stride,
                                umma_swizzle(tile.swizzle));
}
// From a tile's descriptor to that of the k of instruction `step`; a descriptor counts in 16 bytes.
template <OperandTile tile>
TILE_FN int umma_step(int step) {
  return operand_start<tile>(0, step * tile.step_k()) / 16;
}

template <UmmaConfig config>
using UmmaOf = Umma<config.a, config.b, config.tile_m, config.tile_n, config.cta_group>;

// accumulator (tile_m, tile_n) (+)= A (tile_m, tile_k) * B (tile_n, tile_k)^T, of a pair with the
// halves that lie in the same places of both blocks.
template <UmmaConfig config>
TILE_DEVICE void umma_tiles(arch::TmemAddress accumulator, const char* a_smem, const char* b_smem,
                            bool add) {
  using Atom = UmmaOf<config>;
  constexpr OperandTile a_tile = config.a_tile(), b_tile = config.b_tile();
  constexpr std::uint32_t what = Atom::descriptor(config.a_major, config.b_major);
  const std::uint64_t a = umma_operand<a_tile>(a_smem);  // (BLK_M, BLK_K)
  const std::uint64_t b = umma_operand<b_tile>(b_smem);  // (BLK_N, BLK_K)
#pragma unroll
  for (int step = 0; step < b_tile.steps(); ++step)
    arch::umma<Atom::kind, config.cta_group>(accumulator, a + umma_step<a_tile>(step),
                                             b + umma_step<b_tile>(step), what, add || step > 0);
}

template <UmmaConfig config>
class UmmaOperands {
 public:
  static_assert(umma_admitted<config>);

  TILE_DEVICE UmmaOperands(UmmaBuffers<config>& buffers, TileCluster at)
      : buffers_(buffers), ring_(buffers.ring, at) {}

  // The K loop, of at least one k-block: accumulator = A B. It ends with its products under way.
  TILE_DEVICE void multiply(arch::TmemAddress accumulator, int k_blocks) {
    for (int k = 0; k < k_blocks; ++k, ++at_) {
      ring_.wait(at_);                                  // both tiles have landed
      const char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
      const char* const b_smem = buffers_.b[at_.slot];  // (BLK_N, BLK_K)
      umma_tiles<config>(accumulator, a_smem, b_smem, k > 0);
      ring_.release(at_);  // when these products have read them
    }
  }

 private:
  UmmaBuffers<config>& buffers_;
  UmmaOperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::reader();
};

}  // namespace aisp::tile
