// The images of shared and tensor memory that a case of tcgen05.mma needs, and the comparison of
// its result with the reference.
#pragma once

#include <gtest/gtest.h>

#include "tests/sim/support/tensor_case.hpp"

namespace aisp::tensor_case {

inline bool disabled(const Case& test, int block, int lane) {
  if (!test.disable_lanes) return false;
  const int word = block == 0 ? lane / 32 : 3 - lane / 32;
  return (0x01020304u << word >> lane % 32 & 1) != 0;
}

// The column mask of the tests: three columns used, two not, from the second on.
inline bool zero_column(const Case& test, int column) {
  if (test.zero_columns == 0) return false;
  const int parts = 128 / test.m, at = column % (test.n / parts);
  return (at + 1) % 5 >= 3;
}

inline void put_shared(const Case& test, const Operands& in, tensor_rig::Rig& rig) {
  const int blocks = test.pair ? 2 : 1;
  const int stored = test.sparse ? test.k / 2 : test.k;
  Case half = test;  // what A is stored as
  half.k = stored;
  for (int i = 0; i < blocks; ++i)
    rig.shared[i].assign(static_cast<std::size_t>(rig.shared_bytes), 0xa5);
  const int rows = test.m / blocks, columns = test.n / blocks;
  if (!test.a_in_tensor)
    for (int row = 0; row < test.m; ++row)
      for (int k = 0; k < stored; ++k)
        put_bits(rig.shared[row / rows],
                 bit_of(test.k == stored ? test : half, *test.a, test.a_layout, test.a_mn, rows,
                        row % rows, k),
                 test.a->bits, a_of(test, in, row, k));
  for (int column = 0; column < test.n; ++column)
    for (int k = 0; k < test.k; ++k)
      put_bits(rig.shared[column / columns],
               b_at * std::size_t{8} +
                   bit_of(test, *test.b, test.b_layout, test.b_mn, columns, column % columns, k),
               test.b->bits, in.b[static_cast<std::size_t>(column * test.k + k)]);
}

inline void put_a(const Case& test, const Operands& in, tensor_rig::Rig& rig) {
  const int stored = test.sparse ? test.k / 2 : test.k;
  for (int row = 0; row < test.m; ++row)
    for (int copy = 0; copy < (test.pair && test.m == 128 && !test.sparse ? 2 : 1); ++copy) {
      const auto at = place_of(test, row, copy * test.n / 2);
      for (int k = 0; k < stored; ++k) {
        std::uint32_t code = a_of(test, in, row, k);
        int bits = test.a->bits;
        if (bits < 8 && !has_fours(test)) {
          code <<= bits == 4 ? 2 : 0;
          bits = 8;
        }
        std::uint32_t& word = cell(rig.tensor[at.block], at.lane, a_column + k * bits / 32);
        const int shift = k * bits % 32;
        const std::uint32_t mask = (bits == 32 ? ~0u : (1u << bits) - 1) << shift;
        word = (word & ~mask) | (code << shift & mask);
      }
    }
}

inline void put_scales(const Case& test, const Operands& in, tensor_rig::Rig& rig) {
  const int blocks = test.pair ? 2 : 1;
  const auto put = [&](int block, int row, int column, int id, const std::uint8_t* codes) {
    for (int quarter = 0; quarter < 4; ++quarter)
      for (int i = 0; i < test.scales; ++i) {
        std::uint32_t& word = cell(rig.tensor[block], row % 32 + 32 * quarter, column + row / 32);
        word = (word & ~(0xffu << 8 * (id + i))) | std::uint32_t{codes[i]} << 8 * (id + i);
      }
  };
  for (int row = 0; row < test.m; ++row)
    put(row / 128, row % 128, sa_column, test.a_id, in.sa.data() + row * test.scales);
  for (int block = 0; block < blocks; ++block)
    for (int column = 0; column < test.n; ++column)
      put(block, column, sb_column, test.b_id, in.sb.data() + column * test.scales);
}

// Which row of metadata is of the accumulators in a lane of a block, from the layouts of D; -1:
// none.
inline std::vector<int> rows_of_lanes(const Case& test, int block) {
  std::vector<int> rows(128, -1);
  for (int row = 0; row < test.m; ++row)
    for (int column = 0; column < test.n; ++column) {
      const Place at = place_of(test, row, column);
      if (at.block == block)
        rows[static_cast<std::size_t>(at.lane)] = metadata_row(test, row, column);
    }
  return rows;
}

// Cell by cell, as the figures of the PTX ISA draw the metadata: of f16, bf16 and tf32 a word of
// lane l is four nibbles each of the rows of lanes l % 8 and l % 8 + 8 of its 16 lanes, for the
// first half of k in the first eight lanes and for the second half in the others. Narrower types:
// 16 nibbles of the lane's row.
inline void put_metadata(const Case& test, const Operands& in, tensor_rig::Rig& rig) {
  const int row_nibbles = nibbles_of(test);
  const auto put = [&](int block, int lane, int column, int bit, int row, int nibble) {
    if (row < 0) return;
    std::uint32_t& word = cell(rig.tensor[block], lane, meta_column + column);
    const auto code = in.nibbles[static_cast<std::size_t>(row * row_nibbles + nibble)];
    word = (word & ~(15u << bit)) | std::uint32_t{code} << bit;
  };
  for (int block = 0; block < (test.pair ? 2 : 1); ++block) {
    const std::vector<int> rows = rows_of_lanes(test, block);
    for (int lane = 0; lane < 128; ++lane) {
      if (test.a->bits < 16) {
        for (int i = 0; i < 16; ++i)
          put(block, lane, i / 8, i % 8 * 4, rows[static_cast<std::size_t>(lane)], i);
        continue;
      }
      for (int upper = 0; upper < 2; ++upper)
        for (int i = 0; i < 4; ++i)
          put(block, lane, test.selector, 16 * upper + 4 * i,
              rows[static_cast<std::size_t>((lane & ~15) + lane % 8 + 8 * upper)],
              i + (lane % 16 < 8 ? 0 : 4));
    }
  }
}

// Runs the instruction and compares every cell of tensor memory.
inline void expect_product(const Case& test) {
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(test.name)));
  const auto in = make_operands(test, random);
  tensor_rig::Rig rig;
  rig.pair = test.pair;
  rig.body = instruction(test);
  for (auto& cells : rig.tensor)
    for (auto& word : cells) word = static_cast<std::uint32_t>(random());
  put_shared(test, in, rig);
  if (test.a_in_tensor) put_a(test, in, rig);
  if (test.scales != 0) put_scales(test, in, rig);
  if (test.sparse) put_metadata(test, in, rig);
  for (int row = 0; row < test.m; ++row)
    for (int column = 0; column < test.n; ++column) {
      const auto at = place_of(test, row, column);
      cell(rig.tensor[at.block], at.lane, d_column + at.column) =
          in.c[static_cast<std::size_t>(row * test.n + column)];
    }
  const auto cells = tensor_rig::run(rig, {{.order = sim::Order::earliest, .host_threads = 1},
                                           {.order = sim::Order::latest, .host_threads = 1}});
  auto want = std::vector<tensor_rig::Cells>(rig.tensor, rig.tensor + (test.pair ? 2 : 1));
  for (int row = 0; row < test.m; ++row)
    for (int column = 0; column < test.n; ++column) {
      const auto at = place_of(test, row, column);
      if (disabled(test, at.block, at.lane)) continue;
      cell(want[static_cast<std::size_t>(at.block)], at.lane, d_column + at.column) =
          expected(test, in, row, column, zero_column(test, column));
    }
  if (test.words.find("ashift") != std::string::npos)
    for (int lane = 0; lane < 128; ++lane)
      if (lane % 32 != 31)
        for (int i = 0; i < 8; ++i)
          cell(want[0], lane, a_column + i) = cell(rig.tensor[0], lane + 1, a_column + i);
  int wrong = 0;
  for (std::size_t block = 0; block < want.size(); ++block)
    for (int lane = 0; lane < 128; ++lane)
      for (int column = 0; column < 512; ++column) {
        const auto at = static_cast<std::size_t>(lane * 512 + column);
        if (cells[block][at] != want[block][at] && ++wrong < 5)
          ADD_FAILURE() << "block " << block << " lane " << lane << " column " << column << ": "
                        << std::hex << cells[block][at] << ", not " << want[block][at];
      }
  EXPECT_EQ(wrong, 0);
}

}  // namespace aisp::tensor_case
