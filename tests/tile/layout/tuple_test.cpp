// Hierarchical tuples and the walk from index to coordinate and back.
#include "tile/layout/tuple.hpp"

#include <gtest/gtest.h>

#include "tile/layout/coordinate.hpp"

namespace aisp::tile {
namespace {

constexpr Tuple nested{3, {2, {4, 5}}, 7};

static_assert(rank(Tuple(4)) == 1 && depth(Tuple(4)) == 0 && is_leaf(Tuple(4)));
static_assert(rank(Tuple{4}) == 1 && depth(Tuple{4}) == 1 && !is_leaf(Tuple{4}));
static_assert(rank(Tuple()) == 0 && size(Tuple()) == 1);
static_assert(rank(nested) == 3 && depth(nested) == 3 && size(nested) == 840);
static_assert(mode(nested, 0) == Tuple(3) && mode(nested, 2) == Tuple(7));
static_assert(mode(nested, 1) == Tuple{2, {4, 5}});
static_assert(mode(mode(nested, 1), 1) == Tuple{4, 5});
static_assert(mode(Tuple(9), 0) == Tuple(9));
static_assert(mode(Tuple{{2, 3}}, 0) == Tuple{2, 3});
static_assert(flatten(nested) == Tuple{3, 2, 4, 5, 7} && flatten(Tuple(3)) == Tuple(3));
static_assert(congruent(nested, Tuple{1, {1, {1, 1}}, 1}));
static_assert(!congruent(nested, flatten(nested)));
static_assert(nested != Tuple{3, {2, 4, 5}, 7}, "the parentheses count");

static_assert(coord_of(Shape{3, {2, 3}}, 16) == Coord{1, {1, 2}});
static_assert(mode_coord_of(Shape{3, {2, 3}}, 16) == Coord{1, 5});
static_assert(index_of(Shape{3, {2, 3}}, Coord{1, {1, 2}}) == 16);
static_assert(index_of(Shape{3, {2, 3}}, Coord{1, 5}) == 16);
static_assert(index_of(Shape{3, {2, 3}}, 16) == 16);

template <Tuple tuple>
struct Takes {
  static constexpr int leaves = tuple.count;
};
static_assert(Takes<nested>::leaves == 5, "a tuple can be a template argument");

TEST(Tuple, IndexAndCoordinateInvertEachOther) {
  for (const Shape& shape : {Shape(12), Shape{4, 3}, nested, Shape{{2, 2}, {{3, 1}, 2}}})
    for (int index = 0; index < size(shape); ++index) {
      EXPECT_EQ(index_of(shape, coord_of(shape, index)), index);
      EXPECT_EQ(index_of(shape, mode_coord_of(shape, index)), index);
    }
}

LayoutRule rule_of(auto&& work) {
  try {
    work();
  } catch (const Refused& refused) {
    return refused.refusal().rule;
  }
  return LayoutRule::none;
}

TEST(Tuple, RefusesWhatDoesNotFit) {
  Tuple full;
  for (int at = 0; at < max_leaves; ++at) full.push(2);
  EXPECT_EQ(rule_of([&] { full.push(2); }), LayoutRule::fits_capacity);
  Tuple deep = 1;
  for (int at = 0; at < max_depth; ++at) deep.wrap();
  EXPECT_EQ(rule_of([&] { deep.wrap(); }), LayoutRule::fits_depth);
  EXPECT_EQ(rule_of([] { mode(Tuple{1, 2}, 2); }), LayoutRule::mode_exists);
  EXPECT_EQ(rule_of([] { size(Tuple{1 << 20, 1 << 20}); }), LayoutRule::fits_int);
  EXPECT_EQ(rule_of([] { Tuple{1, Tuple()}; }), LayoutRule::mode_not_empty);
}

TEST(Tuple, RefusesCoordinatesOfAnotherShape) {
  const Shape shape{3, {2, 3}};
  for (const Coord& coord : {Coord{1}, Coord{1, 2, 3}, Coord{{1, 1}, 2}, Coord{1, {1, 1, 1}}})
    EXPECT_EQ(rule_of([&] { index_of(shape, coord); }), LayoutRule::coordinate_fits_shape);
}

}  // namespace
}  // namespace aisp::tile
