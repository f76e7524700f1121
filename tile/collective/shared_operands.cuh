// The main loop of a math warpgroup whose operands both lie in shared memory, the plain case: all
// elements that wgmma multiplies, both majors of 16-bit ones.
#pragma once

#include <type_traits>

#include "tile/arch/wgmma.cuh"
#include "tile/collective/tma_loader.cuh"

namespace tile {

TILE_FN arch::MatrixKind matrix_kind(Element a, Element b) {
  using enum arch::MatrixKind;
  switch (a) {
    case Element::bf16:
      return bf16;
    case Element::f16:
      return f16;
    case Element::tf32:
      return tf32;
    case Element::s8:
      return s8;
    case Element::e4m3:
      return b == Element::e5m2 ? e4m3_e5m2 : e4m3;
    default:
      return b == Element::e4m3 ? e5m2_e4m3 : e5m2;
  }
}

TILE_FN arch::SharedSwizzle descriptor_swizzle(BoxSwizzle swizzle) {
  using enum arch::SharedSwizzle;
  return swizzle == BoxSwizzle::bytes_128  ? bytes_128
         : swizzle == BoxSwizzle::bytes_64 ? bytes_64
         : swizzle == BoxSwizzle::bytes_32 ? bytes_32
                                           : none;
}

template <OperandTile tile>
TILE_DEVICE std::uint64_t operand_descriptor(const char* buffer) {
  return arch::matrix_descriptor(buffer, tile.leading_bytes(), tile.stride_bytes(),
                                 descriptor_swizzle(tile.swizzle));
}

// The sums of a math warpgroup's rows: thread by thread, 64 rows at a time.
template <GemmConfig config>
struct Sums {
  static constexpr int halves = config.rows_of_warpgroup() / 64;  // of 128 rows; 1: it is 64
  using Value = std::conditional_t<config.a == Element::s8 && config.b == Element::s8, int, float>;
  Value of[halves][config.tile_n / 2];

  // Ordinary code touches the sums before the next product or after the last.
  TILE_DEVICE void keep() {
#pragma unroll
    for (auto& half : of) arch::keep_in_place(half);
  }
};

// sums (rows, tile_n) (+)= A (rows, tile_k) * B (tile_n, tile_k)^T, as many instructions as that
// takes; `first_row` is where the warpgroup's rows start in A's tile.
template <GemmConfig config>
TILE_DEVICE void multiply_tiles(Sums<config>& sums, const char* a_smem, const char* b_smem,
                                int first_row, bool add) {
  constexpr OperandTile a_tile = config.a_tile(), b_tile = config.b_tile();
  constexpr auto kind = matrix_kind(config.a, config.b);
  const std::uint64_t a = operand_descriptor<a_tile>(a_smem + a_tile.start(first_row, 0));
  const std::uint64_t b = operand_descriptor<b_tile>(b_smem);
#pragma unroll
  for (int step = 0; step < b_tile.steps(); ++step)
#pragma unroll
    for (int half = 0; half < Sums<config>::halves; ++half)
      arch::wgmma_instruction<kind, a_tile.major == Major::mn, b_tile.major == Major::mn>(
          sums.of[half], a + a_tile.start(half * 64, step) / 16, b + b_tile.start(0, step) / 16,
          add || step > 0);
}

template <GemmConfig config>
class SharedOperands {
 public:
  static_assert(admitted<config> && !config.promote && bytes_of(config.a) == bytes_of(config.b));

  TILE_DEVICE SharedOperands(OperandBuffers<config>& buffers, ClusterPlace place, int first_row)
      : buffers_(buffers), ring_(buffers.ring, place), first_row_(first_row) {}

  // The K loop, of at least one tile. It ends with its last products under way: finish() waits.
  TILE_DEVICE void multiply(Sums<config>& sums, int k_tiles) {
    sums.keep();
    for (int k = 0; k < k_tiles; ++k, ++at_) {
      ring_.wait(at_);  // both tiles have landed
      arch::wgmma_fence();
      multiply_tiles<config>(sums, buffers_.a[at_.slot], buffers_.b[at_.slot], first_row_, k > 0);
      arch::wgmma_commit();
      arch::wgmma_wait<1>();  // the products of the tiles before these are done
      if (k > 0) ring_.release(last_);
      last_ = at_;
    }
  }
  TILE_DEVICE void finish(Sums<config>& sums) {
    arch::wgmma_wait<0>();
    sums.keep();
    ring_.release(last_);
  }
  // Over tiles that the other warpgroup multiplies.
  TILE_DEVICE void skip(int k_tiles) { at_ += k_tiles; }

 private:
  OperandBuffers<config>& buffers_;
  OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::reader(), last_{};
  int first_row_;
};

}  // namespace tile
