// Swizzles, layouts under them, and what they do to the banks of shared memory.
#include "tile/layout/swizzle.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/tile/layout/generator.hpp"
#include "tile/layout/banks.hpp"
#include "tile/layout/parse.hpp"

namespace aisp::tile {
namespace {

static_assert(Swizzle{3, 4, 3}(0x080) == 0x090, "row 1 of 128 bytes: unit 0 goes to unit 1");
static_assert(Swizzle{3, 4, 3}(0x3f5) == 0x385 && Swizzle{}(77) == 77);
static_assert(memory_swizzle(128, 8) == Swizzle{3, 4, 3});
static_assert(memory_swizzle(128, 16) == Swizzle{3, 3, 3});
static_assert(memory_swizzle(128, 32) == Swizzle{3, 2, 3});
static_assert(memory_swizzle(64, 16) == Swizzle{2, 3, 3});
static_assert(memory_swizzle(32, 16) == Swizzle{1, 3, 3});
static_assert(memory_swizzle(128, 4) == Swizzle{3, 5, 3});
static_assert(memory_swizzle(16, 16) == Swizzle{});
static_assert(recast(memory_swizzle(64, 16), 16, 32) == memory_swizzle(64, 32));

constexpr Swizzled block = compose(memory_swizzle(128, 16), row_major({8, 64}));
static_assert(block == "Sw<3,3,3>o(8,64):(64,1)"_swizzled);
static_assert(block(1, 0) == 72 && block({3, 8}) == 208 && block(3) == block(3, 0));
static_assert(size(block) == 512 && cosize(block) == 512 && rank(block) == 2);
constexpr Swizzled tile = tile_to_shape(block, {128, 64}, {0, 1});
static_assert(tile.layout == row_major({128, 64}) && tile.swizzle == block.swizzle);
static_assert(slice(block, {3, free_mode}).offset == 192,
              "the row number stays inside the swizzle");
static_assert(slice(block, {3, free_mode})(8) == block(3, 8));
static_assert(compose(block, "(4,2):(8,1)"_layout)(5) == block(9));

TEST(Swizzle, IsABijectionAndItsOwnInverse) {
  for (int bits = 0; bits <= 4; ++bits)
    for (int base = 0; base <= 4; ++base)
      for (int shift = bits; shift <= 5; ++shift) {
        const Swizzle swizzle{bits, base, shift};
        const int whole = 2 * period(swizzle);
        std::vector<int> hits(whole);
        for (int offset = 0; offset < whole; ++offset) {
          ASSERT_LT(swizzle(offset), whole);
          ++hits[swizzle(offset)];
          ASSERT_EQ(swizzle(swizzle(offset)), offset);
        }
        ASSERT_EQ(hits, std::vector<int>(whole, 1)) << bits << base << shift;
      }
}

TEST(Swizzle, TheInverseFindsTheIndex) {
  LayoutGenerator random(1);
  for (int round = 0; round < 500; ++round) {
    const Swizzled composed{Swizzle{2, random.below(3), 2 + random.below(3)}, random.below(40),
                            random.nested()};
    const SwizzledInverse inverse = left_inverse(composed);
    for (int index = 0; index < size(composed); ++index) {
      ASSERT_EQ(inverse(composed(index)), index);
      ASSERT_LT(composed(index), cosize(composed));
    }
  }
}

TEST(Swizzle, RefusesOverlappingBits) {
  EXPECT_THROW(Swizzle(3, 0, 2), Refused);
  EXPECT_THROW(Swizzle(3, 30, 3), Refused);
  EXPECT_THROW(memory_swizzle(256, 16), Refused);
  EXPECT_THROW(memory_swizzle(128, 12), Refused);
}

// ldmatrix and vector loads: 8 lanes read 16 bytes each down a column of a 64-wide bf16 tile.
constexpr Layout down_a_column{{8, 4}, {1, 8 * 8}};  // lane -> index of the (8,64) block
static_assert(bank_access("32:1"_layout, 4, 4).wavefronts == 1);
static_assert(bank_access("32:2"_layout, 4, 4).wavefronts == 2);
static_assert(bank_access("32:32"_layout, 4, 4).wavefronts == 32);
static_assert(bank_access("32:33"_layout, 4, 4).conflicts() == 0, "padded by one word");
static_assert(bank_access("32:0"_layout, 4, 4).wavefronts == 1, "one word for all lanes");
static_assert(bank_access("32:1"_layout, 2, 2).wavefronts == 1, "two lanes share a word");
static_assert(bank_access("32:1"_layout, 16, 16).phases == 4);
static_assert(bank_access("32:1"_layout, 8, 8).conflicts() == 0);
static_assert(bank_access(compose(row_major({8, 64}), down_a_column), 2, 16).wavefronts == 32);
static_assert(bank_access(compose(block, down_a_column), 2, 16).conflicts() == 0);

TEST(Banks, NarrowerSwizzlesLeaveConflicts) {
  const auto wavefronts = [](int span_bytes) {
    const Swizzled rows = compose(memory_swizzle(span_bytes, 16), row_major({8, 64}));
    return bank_access(compose(rows, down_a_column), 2, 16).wavefronts;
  };
  EXPECT_EQ(wavefronts(16), 32);
  EXPECT_EQ(wavefronts(32), 16);
  EXPECT_EQ(wavefronts(64), 8);
  EXPECT_EQ(wavefronts(128), 4);
}

TEST(Banks, WordsPerBankAddUpToWhatWasAsked) {
  const BankAccess access = bank_access("32:2"_layout, 4, 4);
  for (int bank = 0; bank < banks; ++bank) EXPECT_EQ(access.words[bank], bank % 2 ? 0 : 2);
}

TEST(Banks, RefusesMisalignedAccesses) {
  EXPECT_THROW(bank_access("32:1"_layout, 4, 16), Refused);
  EXPECT_THROW(bank_access("32:1"_layout, 4, 3), Refused);
}

}  // namespace
}  // namespace aisp::tile
