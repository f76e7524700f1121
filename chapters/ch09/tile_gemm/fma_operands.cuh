// A main loop without the matrix unit for the kernel that otherwise runs wgmma: the same tiles in
// the same ring, the same accumulators in the same threads, but every product is an FMA of one
// thread.
#pragma once

#include "tile/arch/barrier.cuh"
#include "tile/atom/convert.hpp"
#include "tile/collective/mainloop/wgmma_main_loop.cuh"

namespace aisp::ch09 {

// 16 bytes along k of one row of A or one column of B, as floats.
template <tile::Element element>
struct Chunk {
  static constexpr int count = 16 / tile::bytes_of(element);
  float at[count];

  // By an address of shared memory, which the compiler would not recognise in a pointer.
  TILE_DEVICE explicit Chunk(std::uint32_t from) {
    std::uint32_t words[4];
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
                 : "r"(from));
#pragma unroll
    for (int i = 0; i < 4; ++i) unpack(at + i * count / 4, words[i]);
  }

 private:
  TILE_DEVICE static void unpack(float* to, std::uint32_t word) {
    if constexpr (tile::bytes_of(element) == 4) {
      to[0] = __uint_as_float(word);
    } else if constexpr (tile::bytes_of(element) == 2) {
      put_pair(to, tile::decode_pair<element>(word));
    } else {
      put_pair(to, tile::decode_pair<element>(static_cast<std::uint16_t>(word)));
      put_pair(to + 2, tile::decode_pair<element>(static_cast<std::uint16_t>(word >> 16)));
    }
  }
  TILE_DEVICE static void put_pair(float* to, tile::Pair<float> pair) {
    to[0] = pair.first;
    to[1] = pair.second;
  }
};

// Rows of 128 bytes along k for both operands: the swizzle exchanges 16-byte chunks by row % 8.
template <tile::Sm90Config config>
class FmaOperands {
  static constexpr tile::OperandTile a_tile = config.a_tile(), b_tile = config.b_tile();
  static constexpr int line_bytes = 128, chunks = line_bytes / 16;
  static_assert(tile::admitted<config> && config.rows_of_warpgroup() == 64);
  static_assert(a_tile.line_bytes() == line_bytes && b_tile.line_bytes() == line_bytes &&
                a_tile.major == tile::Major::k && b_tile.major == tile::Major::k);
  using Operand = Chunk<config.a>;

 public:
  static constexpr bool loads_operands = false;

  TILE_DEVICE FmaOperands(tile::Sm90Buffers<config>& buffers, tile::ClusterCoord coord,
                          int first_row)
      : buffers_(buffers), ring_(buffers.ring, coord) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    row_ = lane / 4;
    column_ = lane % 4 * 2;
    a_ = (first_row + static_cast<int>(threadIdx.x) / 32 % 4 * 16 + row_) * line_bytes;
    b_ = column_ * line_bytes;
  }

  TILE_DEVICE void multiply(tile::Accumulators<config>& accumulators, int k_blocks) {
#pragma unroll
    for (float& sum : accumulators.of[0]) sum = 0;
    for (; k_blocks > 0; --k_blocks, ++at_) {
      ring_.wait(at_);  // both tiles have landed
      const std::uint32_t a_smem = tile::arch::shared_address(buffers_.a[at_.slot]) + a_;
      const std::uint32_t b_smem = tile::arch::shared_address(buffers_.b[at_.slot]) + b_;
#pragma unroll 1
      for (int chunk = 0; chunk < chunks; ++chunk)
        add_chunk(accumulators.of[0], a_smem, b_smem, chunk);
      tile::arch::barrier_sync(static_cast<int>(threadIdx.x) / 128, 128);  // all four have read
      ring_.release(at_);
    }
  }
  TILE_DEVICE void finish(tile::Accumulators<config>&) {}
  TILE_DEVICE void skip(int k_blocks) { at_ += k_blocks; }

 private:
  // Two rows of A, 8 apart, times all columns of the tile that the thread has.
  TILE_DEVICE void add_chunk(float (&accumulators)[config.tile_n / 2], std::uint32_t a_smem,
                             std::uint32_t b_smem, int chunk) const {
    const int a_chunk = (chunk ^ row_) * 16;
    const Operand upper(a_smem + a_chunk), lower(a_smem + 8 * line_bytes + a_chunk);
#pragma unroll
    for (int fragment = 0; fragment < config.tile_n / 8; ++fragment)
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        const Operand b(b_smem + (fragment * 8 + side) * line_bytes +
                        (chunk ^ (column_ + side)) * 16);
        add_products(accumulators[fragment * 4 + side], upper, b);
        add_products(accumulators[fragment * 4 + 2 + side], lower, b);
      }
  }
  TILE_DEVICE static void add_products(float& sum, const Operand& a, const Operand& b) {
#pragma unroll
    for (int k = 0; k < Operand::count; ++k) sum = fmaf(a.at[k], b.at[k], sum);
  }

  tile::Sm90Buffers<config>& buffers_;
  tile::Sm90OperandRing<config> ring_;
  tile::RingState<config.stages> at_ = tile::RingState<config.stages>::reader();
  int row_, column_;  // of the thread's first sum, modulo 8
  int a_, b_;         // where its first row and column start, in bytes
};

}  // namespace aisp::ch09
