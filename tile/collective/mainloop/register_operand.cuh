// The main loop of a math warpgroup whose A is narrower than B: 8 bits in memory, widened to B's 16
// in registers on the way to the matrix unit, which takes A from there. While one product runs, the
// fragment of A for the next is read and widened.
#pragma once

#include "tile/arch/memory.cuh"
#include "tile/atom/wgmma.hpp"
#include "tile/collective/mainloop/wgmma_main_loop.cuh"
#include "tile/collective/mainloop/widen_fragment.cuh"

namespace aisp::tile {

// A (64, 16) at a time: a thread's eight elements of one product.
template <Sm90Config config>
class NarrowFragments {
 public:
  static constexpr int step_k = 16;
  using Registers = std::uint32_t[4];  // (MMA_A), two elements in each

  TILE_DEVICE explicit NarrowFragments(int first_row) {
    const Cell first = Atom::a(static_cast<int>(threadIdx.x) % 128, 0, 0);
    first_ = operand_offset<config.a_tile()>(first_row + first.row, first.column);
  }

  // Rows `row` (a multiple of 64) and 16 k elements of `step`, widened. A step is a 16-byte chunk
  // of a line: the swizzle exchanges it with other chunks of the line, its inside is as it was.
  TILE_DEVICE void read(Registers& to, const char* a_smem, int row, int step) const {
    constexpr OperandTile tile = config.a_tile();
    constexpr int width = width_of(tile.swizzle);
    const int along = step * step_k;
    const std::uint32_t from =
        arch::shared_address(a_smem) +
        static_cast<std::uint32_t>((first_ ^ along % width) + along / width * tile.panel_bytes());
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Cell cell = Atom::a(0, i, 0);  // from the thread's first element on
      to[i] = widen_pair<config.a, config.b>(
          arch::load_shared_16(from, operand_start<tile>(row + cell.row, cell.column)));
    }
  }

 private:
  using Atom = Wgmma<config.b, config.tile_n>;
  static_assert(config.a_major == Major::k && Atom::k == step_k);

  int first_;  // byte of the thread's first element
};

template <Sm90Config config>
class RegisterOperand {
 public:
  static constexpr bool loads_operands = false;
  static_assert(admitted<config>);
  static_assert(
      rules::kept<true, rules::StagesAhead<config.stages>, rules::NarrowA<config.a, config.b>,
                  rules::Promotes<config.promote, false>>());

  TILE_DEVICE RegisterOperand(Sm90Buffers<config>& buffers, ClusterCoord coord, int first_row)
      : buffers_(buffers), ring_(buffers.ring, coord), narrow_(first_row) {}

  // The K loop, of at least one k-block. It ends with its last product under way: finish() waits.
  TILE_DEVICE void multiply(Accumulators<config>& accumulators, int k_blocks) {
    accumulators.keep();
    ring_.wait(at_);
    read(0);
    for (int k = 0; k < k_blocks; ++k) {
      const std::uint64_t b =
          operand_descriptor<config.b_tile()>(buffers_.b[at_.slot]);  // (BLK_N, BLK_K)
#pragma unroll
      for (int product = 0; product < products; ++product) {
        start(accumulators, b, product, k > 0 || product >= m_atoms);
        arch::wgmma_wait<1>();  // the product before is done with its fragment
        arch::keep_in_place(fragments_[(product + 1) % 2]);
        if (product == 0 && k > 0) ring_.release(last_);
        if (product + 1 < products) read(product + 1);
      }
      last_ = at_;
      ++at_;
      if (k + 1 == k_blocks) break;
      ring_.wait(at_);
      read(0);
    }
  }
  TILE_DEVICE void finish(Accumulators<config>& accumulators) {
    arch::wgmma_wait<0>();
    arch::keep_in_place(fragments_[1]);
    accumulators.keep();
    ring_.release(last_);
  }
  // Over k-blocks that the other warpgroup multiplies.
  TILE_DEVICE void skip(int k_blocks) { at_ += k_blocks; }

 private:
  static constexpr int m_atoms = Accumulators<config>::m_atoms;
  static constexpr int products = config.b_tile().steps() * m_atoms;  // of a k-block
  static_assert(products % 2 == 0, "two fragments take turns: tile_k must be a multiple of 32");

  // The products of a k-block are numbered step by step, in each the atoms along m.
  TILE_DEVICE void read(int product) {
    const char* const a_smem = buffers_.a[at_.slot];  // (BLK_M, BLK_K)
    narrow_.read(fragments_[product % 2], a_smem, product % m_atoms * 64, product / m_atoms);
  }
  TILE_DEVICE void start(Accumulators<config>& accumulators, std::uint64_t b, int product,
                         bool add) {
    constexpr OperandTile b_tile = config.b_tile();
    arch::wgmma_fence();
    arch::wgmma_instruction<matrix_kind(config.b, config.b), b_tile.major == Major::mn>(
        accumulators.of[product % m_atoms], fragments_[product % 2],
        b + descriptor_step<b_tile>(0, product / m_atoms), add);
    arch::wgmma_commit();
  }

  Sm90Buffers<config>& buffers_;
  Sm90OperandRing<config> ring_;
  RingState<config.stages> at_ = RingState<config.stages>::reader(), last_{};
  NarrowFragments<config> narrow_;
  std::uint32_t fragments_[2][4];  // (PIPE, MMA_A)
};

namespace detail {
inline constexpr Sm90Config narrow_a{.a = Element::s8};
}
static_assert(MainLoop<RegisterOperand<detail::narrow_a>, detail::narrow_a>);

}  // namespace aisp::tile
