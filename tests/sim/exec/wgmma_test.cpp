// Matrix descriptors of wgmma: where elements lie, for every layout and swizzle.
#include <gtest/gtest.h>

#include <set>

#include "sim/exec/matrix/wgmma/descriptor.hpp"

using namespace aisp;

namespace {

using sim::MatrixDescriptor;

constexpr std::uint64_t describe(std::uint32_t start, std::uint32_t leading, std::uint32_t stride,
                                 std::uint32_t base, std::uint32_t swizzle) {
  return std::uint64_t{start >> 4} | std::uint64_t{leading >> 4} << 16 |
         std::uint64_t{stride >> 4} << 32 | std::uint64_t{base} << 49 |
         std::uint64_t{swizzle} << 62;
}

TEST(WgmmaDescriptor, Fields) {
  const auto d = MatrixDescriptor::of(describe(0x3fff0, 0x120, 0x400, 5, 1));
  EXPECT_EQ(d.start, 0x3fff0u);
  EXPECT_EQ(d.leading, 0x120u);
  EXPECT_EQ(d.stride, 0x400u);
  EXPECT_EQ(d.base_offset, 5u);
  EXPECT_EQ(d.width, 128u);
  EXPECT_EQ(MatrixDescriptor::of(describe(0, 0, 0, 0, 0)).width, 16u);
  EXPECT_EQ(MatrixDescriptor::of(describe(0, 0, 0, 0, 2)).width, 64u);
  EXPECT_EQ(MatrixDescriptor::of(describe(0, 0, 0, 0, 3)).width, 32u);
  // Bits between the fields mean nothing.
  EXPECT_EQ(MatrixDescriptor::of(~std::uint64_t{0} & ~(3ull << 62)).start, 0x3fff0u);
}

TEST(WgmmaDescriptor, CoreMatricesWithoutSwizzle) {
  constexpr auto d = MatrixDescriptor::of(describe(0x1000, 0x80, 0x100, 0, 0));
  static_assert(d.k_major(0, 0) == 0x1000);
  static_assert(d.k_major(7, 0) == 0x1070);
  static_assert(d.k_major(8, 0) == 0x1100, "the next eight rows are one stride on");
  static_assert(d.k_major(0, 1) == 0x1080, "the next 16 bytes of k one leading offset on");
  static_assert(d.mn_major(0, 7) == 0x1070);
  static_assert(d.mn_major(0, 8) == 0x1080, "the next eight k one leading offset on");
  static_assert(d.mn_major(1, 0) == 0x1100, "the next 16 bytes of M or N one stride on");
}

TEST(WgmmaDescriptor, Swizzles) {
  constexpr auto wide = MatrixDescriptor::of(describe(0x2000, 0x10, 0x400, 0, 1));
  static_assert(wide.k_major(0, 1) == 0x2010);
  static_assert(wide.k_major(1, 0) == 0x2080 + 0x10, "row 1: chunk 0 stands at place 1");
  static_assert(wide.k_major(7, 1) == 0x2380 + 0x60, "row 7: chunk 1 stands at place 6");
  static_assert(wide.k_major(8, 1) == 0x2410, "the pattern begins anew");
  constexpr auto middle = MatrixDescriptor::of(describe(0x2000, 0x10, 0x200, 0, 2));
  static_assert(middle.k_major(1, 0) == 0x2040, "two rows of 64 bytes share a row of 128");
  static_assert(middle.k_major(2, 0) == 0x2080 + 0x10);
  static_assert(middle.k_major(7, 1) == 0x21c0 + 0x20);
  constexpr auto narrow = MatrixDescriptor::of(describe(0x2000, 0x10, 0x100, 0, 3));
  static_assert(narrow.k_major(3, 0) == 0x2060);
  static_assert(narrow.k_major(4, 0) == 0x2080 + 0x10);
  // MN-major: eight chunks of a row, then one leading offset; eight k, then one stride.
  constexpr auto across = MatrixDescriptor::of(describe(0x4000, 0x800, 0x400, 0, 1));
  static_assert(across.mn_major(7, 0) == 0x4070);
  static_assert(across.mn_major(8, 0) == 0x4800);
  static_assert(across.mn_major(0, 8) == 0x4400);
  static_assert(across.mn_major(2, 3) == 0x4180 + 0x10);
}

TEST(WgmmaDescriptor, StepsWithinARowMoveTheStart) {
  // The second 32 bytes of k of a 128-byte row: the start moves by 32, rows keep their pattern.
  constexpr auto first = MatrixDescriptor::of(describe(0x2000, 0x10, 0x400, 0, 1));
  constexpr auto second = MatrixDescriptor::of(describe(0x2020, 0x10, 0x400, 0, 1));
  for (std::uint32_t row = 0; row < 64; ++row)
    for (std::uint32_t chunk = 0; chunk < 2; ++chunk)
      EXPECT_EQ(second.k_major(row, chunk), first.k_major(row, chunk + 2));
}

TEST(WgmmaDescriptor, BaseOffsetMovesThePattern) {
  // A tile that begins 3 rows of 128 bytes into the 1024-byte pattern, written as if aligned.
  constexpr auto aligned = MatrixDescriptor::of(describe(0x2000, 0x10, 0x400, 0, 1));
  constexpr auto moved = MatrixDescriptor::of(describe(0x2180, 0x10, 0x400, 3, 1));
  for (std::uint32_t row = 0; row < 8; ++row)
    EXPECT_EQ(moved.k_major(row, 1) - 0x180, aligned.k_major(row, 1));
}

TEST(WgmmaDescriptor, TilesArePermutationsOfTheirMemory) {
  for (const std::uint32_t swizzle : {0u, 1u, 2u, 3u}) {
    const std::uint32_t width = MatrixDescriptor::of(describe(0, 0, 0, 0, swizzle)).width;
    const std::uint32_t chunks = width / 16;
    const auto rows = MatrixDescriptor::of(describe(0, 16, 8 * width, 0, swizzle));
    std::set<std::uint32_t> places;
    for (std::uint32_t row = 0; row < 64; ++row)
      for (std::uint32_t chunk = 0; chunk < chunks; ++chunk)
        places.insert(rows.k_major(row, chunk));
    EXPECT_EQ(places.size(), 64u * chunks);
    EXPECT_EQ(*places.rbegin(), 64 * width - 16);
  }
}

}  // namespace
