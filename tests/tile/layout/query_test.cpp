// Questions about layouts and changes of element size, on cases worked out by
// hand and by counting on random layouts.
#include "tile/layout/query.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/tile/layout/generator.hpp"
#include "tests/tile/layout/offsets.hpp"
#include "tile/layout/parse.hpp"
#include "tile/layout/text.hpp"

namespace aisp::tile {
namespace {

static_assert(is_bijective("(4,(2,2)):(2,(1,8))"_layout));
static_assert(is_injective("(3,2):(2,3)"_layout) && !is_bijective("(3,2):(2,3)"_layout));
static_assert(!is_injective("(4,2):(1,3)"_layout) && covers("(4,2):(1,3)"_layout, 7));
static_assert(!is_injective("(4,2):(1,0)"_layout) && covers("(4,2):(1,0)"_layout, 4));
static_assert(!covers("(4,2):(1,5)"_layout, 5));
static_assert(is_injective("(128,64):(72,1)"_layout), "padded rows");

static_assert(max_common_vector(row_major({8, 8}), row_major({8, 8})) == 64);
static_assert(max_common_vector(row_major({8, 8}), column_major({8, 8})) == 1);
static_assert(max_common_vector("(8,8):(16,1)"_layout, row_major({8, 8})) == 8);
static_assert(max_common_vector("(8,(4,2)):(4,(1,32))"_layout, row_major({8, 8})) == 4);
static_assert(max_common_vector("(6,2):(1,100)"_layout, "(4,3):(1,8)"_layout) == 2,
              "where the modes do not divide, the common divisor of the breaks counts");

static_assert(recast("(8,64):(64,1)"_layout, 16, 32) == "(8,32):(32,1)"_layout);
static_assert(recast("(8,64):(64,1)"_layout, 16, 8) == "(8,128):(128,1)"_layout);
static_assert(recast("(2,4):(1,2)"_layout, 8, 32) == "(1,2):(1,1)"_layout);
static_assert(recast("(8,64):(64,1)"_layout, 16, 16) == "(8,64):(64,1)"_layout);

TEST(Recast, RefusesWhatIsNotWhole) {
  EXPECT_EQ(try_recast("(4,3):(3,1)"_layout, 8, 16).refusal.rule, LayoutRule::recast_divides);
  EXPECT_EQ(try_recast("4:2"_layout, 8, 16).refusal.rule, LayoutRule::recast_units_are_whole);
  EXPECT_EQ(try_recast("4:2"_layout, 16, 8).refusal.rule, LayoutRule::recast_units_are_whole);
  EXPECT_EQ(try_recast("4:1"_layout, 6, 8).refusal.rule, LayoutRule::recast_divides);
}

TEST(Query, LargeLayoutsNeedNoTable) {
  EXPECT_TRUE(is_injective("(3000,2):(2,3001)"_layout));
  EXPECT_FALSE(is_injective("(3000,2):(2,3000)"_layout));
}

TEST(QueryLaws, QuestionsAreAnsweredAsByCounting) {
  LayoutGenerator random(11);
  for (int round = 0; round < 4000; ++round) {
    const Layout layout = random.any();
    const std::vector<int> offsets = sorted_offsets(layout);
    ASSERT_EQ(offsets.back() + 1, cosize(layout));
    ASSERT_EQ(is_injective(layout), all_different(layout)) << to_text(layout);
    int prefix = 0;
    for (const int offset : offsets) prefix += offset == prefix;
    ASSERT_TRUE(covers(layout, prefix)) << to_text(layout);
    ASSERT_FALSE(covers(layout, prefix + 1)) << to_text(layout);
    ASSERT_EQ(is_bijective(layout), prefix == size(layout)) << to_text(layout);
  }
}

// Every group of `vector` indices that lies together in b lies together in a.
bool moves_by(const Layout& a, const Layout& b, int vector) {
  const Layout run = right_inverse(b);
  const Layout order = join(run, complement(run, size(b)));
  if (size(run) % vector != 0) return false;
  for (int at = 0; at < size(b); ++at) {
    const int start = order(at / vector * vector), index = order(at);
    if (b(index) != b(start) + at % vector || a(index) != a(start) + at % vector) return false;
  }
  return true;
}

TEST(QueryLaws, TheCommonVectorIsTheWidestThatMoves) {
  LayoutGenerator random(12);
  int wide = 0;
  for (int round = 0; round < 3000; ++round) {
    const Layout b = random.bijective();
    Layout a = random.below(2) ? column_major(b.shape) : b;
    if (random.below(2)) {  // spread one leaf
      const int leaf = random.below(a.shape.count);
      a.stride.leaf[leaf] *= 3;
    }
    const int vector = max_common_vector(a, b);
    wide += vector > 1;
    ASSERT_TRUE(moves_by(a, b, vector)) << to_text(a) << " and " << to_text(b);
    for (int wider = vector + 1; wider <= size(b); ++wider)
      ASSERT_FALSE(moves_by(a, b, wider)) << to_text(a) << " and " << to_text(b) << ": " << wider;
  }
  EXPECT_GT(wide, 500);
}

TEST(QueryLaws, RecastCountsTheSameMemory) {
  LayoutGenerator random(13);
  int larger = 0;
  for (int round = 0; round < 3000; ++round) {
    const Layout layout = random.nested();
    const Attempt attempt = try_recast(layout, 8, 16);
    if (!attempt.refusal) {
      ++larger;
      std::vector<int> bytes;
      for (const int offset : sorted_offsets(attempt.layout))
        bytes.insert(bytes.end(), {2 * offset, 2 * offset + 1});
      ASSERT_EQ(bytes, sorted_offsets(layout)) << to_text(layout);
    }
    const Attempt back = try_recast(layout, 16, 8);
    if (back.refusal) continue;
    ASSERT_EQ(recast(back.layout, 8, 16), layout) << to_text(layout);
  }
  EXPECT_GT(larger, 300);
}

}  // namespace
}  // namespace aisp::tile
