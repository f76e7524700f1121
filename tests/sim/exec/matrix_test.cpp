// The lane maps of matrix operands: every element has its owners, and sparse rows are what the
// metadata says.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "sim/exec/matrix/maps.hpp"
#include "sim/exec/matrix/sparse.hpp"

using namespace aisp;

namespace {

using sim::MatrixElement;
using sim::Type;
using sim::WmmaShape;

// Owners of each element of a rows x columns operand.
template <class Map>
void expect_owners(int rows, int columns, int registers, int per_register, int owners, Map map) {
  std::map<std::pair<int, int>, int> count;
  for (int lane = 0; lane < 32; ++lane)
    for (int reg = 0; reg < registers; ++reg)
      for (int at = 0; at < per_register; ++at) {
        const MatrixElement place = map(lane, reg, at);
        ASSERT_TRUE(place.row >= 0 && place.row < rows && place.column >= 0 &&
                    place.column < columns)
            << "lane " << lane << " register " << reg << " element " << at;
        ++count[{place.row, place.column}];
      }
  EXPECT_EQ(count.size(), static_cast<std::size_t>(rows * columns));
  for (const auto& [place, times] : count)
    EXPECT_EQ(times, owners) << place.first << ", " << place.second;
}

TEST(MatrixMaps, EveryElementOfMmaHasOneOwner) {
  for (const int per : {1, 2, 4, 8, 32}) {
    for (const int rows : {8, 16}) {
      for (const int steps : {1, 2}) {  // of 4 * per along k
        const int k = 4 * per * steps;
        expect_owners(rows, k, rows / 8 * steps, per, 1, [&](int lane, int reg, int at) {
          return sim::mma_a(lane, reg, at, per, rows);
        });
        expect_owners(k, 8, steps, per, 1,
                      [&](int lane, int reg, int at) { return sim::mma_b(lane, reg, at, per); });
      }
      for (const int n : {8, 16, 256})
        expect_owners(rows, n, rows * n / 32, 1, 1,
                      [&](int lane, int reg, int) { return sim::mma_c(lane, reg, rows); });
    }
  }
}

TEST(MatrixMaps, QuadPairsShareTheWarp) {
  for (const bool flag : {false, true}) {
    // Four products of 8x8x4: every element is held by one lane of each pair.
    expect_owners(8, 4, 1, 4, 4,
                  [&](int lane, int, int at) { return sim::quad_a(lane, at, flag); });
    expect_owners(4, 8, 1, 4, 4,
                  [&](int lane, int, int at) { return sim::quad_b(lane, at, flag); });
    expect_owners(8, 8, 1, 8, 4,
                  [&](int lane, int, int at) { return sim::quad_c(lane, at, flag); });
  }
}

TEST(MatrixMaps, WmmaFragments) {
  for (const WmmaShape shape :
       {WmmaShape{16, 16, 16}, WmmaShape{8, 32, 16}, WmmaShape{32, 8, 16}}) {
    for (const int per : {2, 4}) {
      const int a = shape.m * shape.k / (32 * per), b = shape.n * shape.k / (32 * per);
      const int a_copies = per == 2 ? 8 / a : 1, b_copies = per == 2 ? 8 / b : 1;  // f16 repeats
      expect_owners(shape.m, shape.k, a * a_copies, per, a_copies, [&](int lane, int reg, int at) {
        return sim::wmma_a(shape, lane, reg, at, per);
      });
      expect_owners(shape.k, shape.n, b * b_copies, per, b_copies, [&](int lane, int reg, int at) {
        return sim::wmma_b(shape, lane, reg, at, per);
      });
    }
    expect_owners(shape.m, shape.n, 8, 1, 1,
                  [&](int lane, int reg, int) { return sim::wmma_c(shape, lane, reg); });
  }
}

// What an H200 was seen to load: lane 5, the fragment's elements in order.
TEST(MatrixMaps, WmmaFragmentsAsOnHardware) {
  const auto expect_at = [](MatrixElement place, int row, int column) {
    EXPECT_EQ(place.row, row);
    EXPECT_EQ(place.column, column);
  };
  expect_at(sim::wmma_a({16, 16, 16}, 5, 3, 1, 2), 9, 11);
  expect_at(sim::wmma_a({16, 16, 16}, 5, 7, 1, 2), 9, 11);  // repeated
  expect_at(sim::wmma_a({8, 32, 16}, 4, 1, 1, 2), 1, 9);
  expect_at(sim::wmma_b({8, 32, 16}, 1, 1, 1, 2), 3, 8);
  expect_at(sim::wmma_b({8, 32, 16}, 4, 5, 0, 2), 0, 25);
  expect_at(sim::wmma_b({16, 16, 16}, 1, 3, 1, 2), 11, 8);
  expect_at(sim::wmma_c({8, 32, 16}, 1, 3), 3, 8);
  expect_at(sim::wmma_c({8, 32, 16}, 4, 6), 0, 25);
  expect_at(sim::wmma_c({32, 8, 16}, 4, 7), 25, 1);
}

TEST(MatrixMaps, EightByEight) {
  for (const bool transposed : {false, true})
    expect_owners(8, 8, 1, 2, 1,
                  [&](int lane, int, int at) { return sim::eight_by_eight(lane, at, transposed); });
}

struct Sparse {
  Type type;
  int k;
};
constexpr Sparse sparse_shapes[] = {{Type::f16, 16},  {Type::bf16, 32}, {Type::tf32, 8},
                                    {Type::tf32, 16}, {Type::s8, 32},   {Type::u8, 64},
                                    {Type::s4, 64},   {Type::u4, 128},  {Type::e4m3, 64}};

TEST(SparseMatrix, NibblesHaveOnePlaceEach) {
  for (const auto [type, k] : sparse_shapes) {
    const int nibbles = sim::nibbles_per_row(type, k);
    for (int selector = 0; selector < 16 / nibbles; ++selector) {
      std::map<std::pair<int, int>, int> count;
      for (int row = 0; row < 16; ++row)
        for (int nibble = 0; nibble < nibbles; ++nibble) {
          const auto place = sim::metadata_place(type, row, nibble, nibbles, selector);
          ++count[{place.lane, place.bit}];
          EXPECT_EQ(nibbles < 16 ? place.lane % 4 / (nibbles / 4) : 0, selector);
        }
      EXPECT_EQ(count.size(), static_cast<std::size_t>(16 * nibbles));
    }
  }
}

TEST(SparseMatrix, PositionsNameRowsOfB) {
  std::uint32_t metadata[32];
  std::uint8_t index[16 * 64];
  std::fill_n(metadata, 32, 0xeeeeeeeeu);  // the last two of four
  sim::sparse_index(Type::f16, 32, 0, metadata, index);
  EXPECT_EQ(index[0], 2);
  EXPECT_EQ(index[1], 3);
  EXPECT_EQ(index[2], 6);
  EXPECT_EQ(index[15 * 16 + 15], 31);
  sim::sparse_index(Type::tf32, 16, 1, metadata, index);  // the second of two
  EXPECT_EQ(index[0], 1);
  EXPECT_EQ(index[7], 15);
  std::fill_n(metadata, 32, 0x44444444u);  // the first two of four; pairs of 4-bit elements
  sim::sparse_index(Type::s4, 128, 0, metadata, index);
  EXPECT_EQ(index[0], 0);
  EXPECT_EQ(index[3], 3);
  EXPECT_EQ(index[4], 8);
  EXPECT_EQ(index[63], 123);
}

}  // namespace
