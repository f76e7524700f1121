// The algebra on worked examples whose results are known, all decided by the compiler.
#include "tile/layout/algebra.hpp"

#include <gtest/gtest.h>

#include "tile/layout/parse.hpp"
#include "tile/layout/tiling.hpp"

namespace aisp::tile {
namespace {

constexpr Layout matrix = "(4,(2,2)):(2,(1,8))"_layout;
static_assert(matrix == Layout{{4, {2, 2}}, {2, {1, 8}}});
static_assert(rank(matrix) == 2 && depth(matrix) == 2 && size(matrix) == 16);
static_assert(cosize(matrix) == 16);
static_assert(matrix(6) == 5 && matrix(2, 1) == 5 && matrix({2, 1}) == 5);
static_assert(matrix({3, {1, 1}}) == 15 && matrix(3, 3) == 15);
static_assert(column_major({4, {2, 3}}) == "(4,(2,3)):(1,(4,8))"_layout);
static_assert(row_major({4, {2, 3}}) == "(4,(2,3)):(6,(1,2))"_layout);
static_assert(ordered({4, 2, 3}, {1, 2, 0}) == "(4,2,3):(3,12,1)"_layout);

static_assert(coalesce("(2,(1,6)):(1,(6,2))"_layout) == "12:1"_layout);
static_assert(coalesce("(2,4):(4,1)"_layout) == "(2,4):(4,1)"_layout);
static_assert(coalesce("((1,1),1):((7,3),5)"_layout) == "1:0"_layout);
static_assert(coalesce("(2,(1,6)):(1,(6,2))"_layout, {1, 1}) == "(2,6):(1,2)"_layout);

static_assert(compose("(6,2):(8,2)"_layout, "(4,3):(3,1)"_layout) == "((2,2),3):((24,2),8)"_layout);
static_assert(compose("(10,2):(16,4)"_layout, "(5,4):(1,5)"_layout) ==
              "(5,(2,2)):(16,(80,4))"_layout);
static_assert(compose("20:2"_layout, "(5,4):(4,1)"_layout) == "(5,4):(8,2)"_layout);
static_assert(compose<"(6,2):(8,2)"_layout, "(4,3):(3,1)"_layout>() ==
              "((2,2),3):((24,2),8)"_layout);
static_assert(compose_by_mode("(12,(4,8)):(59,(13,1))"_layout, "(3,8):(4,2)"_layout) ==
              "(3,(2,4)):(236,(26,1))"_layout);
static_assert(compose("(7,3):(1,7)"_layout, "3:5"_layout) == "3:5"_layout, "coalesced first");
static_assert(compose("(7,3):(1,9)"_layout, "2:5"_layout) == "2:5"_layout, "stays in one mode");

static_assert(complement("4:1"_layout, 24) == "6:4"_layout);
static_assert(complement("6:4"_layout, 24) == "4:1"_layout);
static_assert(complement("(4,6):(1,4)"_layout, 24) == "1:0"_layout);
static_assert(complement("4:2"_layout, 24) == "(2,3):(1,8)"_layout);
static_assert(complement("(2,4):(1,6)"_layout, 24) == "3:2"_layout);
static_assert(complement("(2,2):(1,6)"_layout, 24) == "(3,2):(2,12)"_layout);

static_assert(right_inverse("(4,8):(8,1)"_layout) == "(8,4):(4,1)"_layout);
static_assert(right_inverse("(4,8):(1,5)"_layout) == "4:1"_layout);
static_assert(left_inverse("4:2"_layout)(6) == 3);
static_assert(left_inverse("(4,8):(8,1)"_layout) == "(8,4):(4,1)"_layout);

static_assert(logical_divide("(4,2,3):(2,1,8)"_layout, "4:2"_layout) ==
              "((2,2),(2,3)):((4,1),(2,8))"_layout);
constexpr Layout cells = "(9,(4,8)):(59,(13,1))"_layout;
constexpr Layout tilers = "(3,(2,4)):(3,(1,8))"_layout;
static_assert(divide_by_mode(cells, tilers) ==
              "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"_layout);
static_assert(zipped_divide(cells, tilers) ==
              "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))"_layout);
static_assert(tiled_divide(cells, tilers) == "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))"_layout);
static_assert(flat_divide(cells, tilers) == "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))"_layout);
static_assert(zipped_divide(row_major({8, 16}), Shape{4, 8}) ==
              "((4,8),(2,2)):((16,1),(64,8))"_layout);
static_assert(zipped_divide(row_major({8, 16, 3}), Shape{4, 8}) ==
              "((4,8),(2,2,3)):((48,3),(192,24,1))"_layout);

static_assert(logical_product("(2,2):(4,1)"_layout, "6:1"_layout) ==
              "((2,2),(2,3)):((4,1),(2,8))"_layout);
static_assert(logical_product("(2,2):(4,1)"_layout, "(4,2):(2,1)"_layout) ==
              "((2,2),(4,2)):((4,1),(8,2))"_layout);
static_assert(tiled_product("(2,2):(4,1)"_layout, "(4,2):(2,1)"_layout) ==
              "((2,2),4,2):((4,1),8,2)"_layout);
static_assert(flat_product("(2,2):(4,1)"_layout, "(4,2):(2,1)"_layout) ==
              "(2,2,4,2):(4,1,8,2)"_layout);
static_assert(blocked_product("(2,5):(5,1)"_layout, "(3,4):(1,3)"_layout) ==
              "((2,3),(5,4)):((5,10),(1,30))"_layout);
static_assert(blocked_product("2:4"_layout, "8:1"_layout) == "((2,(4,2))):((4,(1,8)))"_layout);
static_assert(tiled_product("2:4"_layout, "8:1"_layout) == "(2,(4,2)):(4,(1,8))"_layout);
static_assert(raked_product("(2,5):(5,1)"_layout, "(3,4):(1,3)"_layout) ==
              "((3,2),(4,5)):((10,5),(30,1))"_layout);
static_assert(tile_to_shape("(8,64):(64,1)"_layout, {128, 64}, {0, 1}) == "(128,64):(64,1)"_layout);
static_assert(tile_to_shape("(8,64):(64,1)"_layout, {128, 128}, {0, 1}) ==
              "(128,(64,2)):(64,(1,8192))"_layout);
static_assert(tile_to_shape("(8,64):(64,1)"_layout, {16, 128}, {1, 0}) ==
              "((8,2),(64,2)):((64,1024),(1,512))"_layout);

constexpr Layout three = "(3,(2,4),5):(1,(3,6),24)"_layout;
static_assert(select(three, {2, 0}) == "(5,3):(24,1)"_layout);
static_assert(take(three, 1, 3) == "((2,4),5):((3,6),24)"_layout);
static_assert(group(three, 0, 2) == "((3,(2,4)),5):((1,(3,6)),24)"_layout);
static_assert(append(three, "2:120"_layout) == "(3,(2,4),5,2):(1,(3,6),24,120)"_layout);
static_assert(slice(three, "(2,_,1)"_tuple).layout == "(2,4):(3,6)"_layout);
static_assert(slice(three, "(2,_,1)"_tuple).offset == 26);
static_assert(slice(three, "(_,(1,_),4)"_tuple).layout == "(3,4):(1,6)"_layout);
static_assert(slice(three, "(_,(1,_),4)"_tuple).offset == 99);
static_assert(slice(three, {1, 2, 3}).layout == "1:0"_layout);

Refusal refusal_of(auto&& work) {
  try {
    work();
  } catch (const Refused& refused) {
    return refused.refusal();
  }
  return {};
}

void expect(const Refusal& refusal, LayoutRule rule, long long first, long long second) {
  EXPECT_EQ(refusal.rule, rule) << Refused(refusal).what();
  EXPECT_EQ(refusal.first, first);
  EXPECT_EQ(refusal.second, second);
}

TEST(Algebra, RefusalsNameTheNumbers) {
  const Layout outer = "(6,4):(1,100)"_layout;
  expect(try_compose(outer, "3:4"_layout).refusal, LayoutRule::stride_and_extent_divide, 4, 6);
  expect(try_compose(outer, "8:1"_layout).refusal, LayoutRule::extent_is_multiple, 8, 6);
  expect(try_compose(outer, "25:1"_layout).refusal, LayoutRule::inner_within_outer, 25, 24);
  expect(try_compose(outer, "(4,4):(1,1)"_layout).refusal, LayoutRule::modes_do_not_carry, 7, 6);
  expect(try_complement("(4,2):(1,6)"_layout, 24).refusal, LayoutRule::strides_nest, 6, 4);
  expect(try_logical_divide("10:1"_layout, "4:1"_layout).refusal, LayoutRule::tile_divides, 4, 10);
  expect(try_tile_to_shape("(8,64):(64,1)"_layout, {100, 64}, {0, 1}).refusal,
         LayoutRule::tile_divides, 8, 100);
  expect(refusal_of([] { left_inverse("(4,2):(1,0)"_layout); }), LayoutRule::strides_nest, 0, 1);
  expect(refusal_of([] {
           Layout({4, 2}, {1, {2}});
         }),
         LayoutRule::shape_and_stride_congruent, 2, 2);
  expect(refusal_of([] { Layout({4, 0}, {1, 4}); }), LayoutRule::extent_at_least_one, 0, 1);
  expect(refusal_of([] { Layout({4, 2}, {1, -4}); }), LayoutRule::stride_not_negative, -4, 1);
  expect(refusal_of([&] { outer(1, 2, 3); }), LayoutRule::coordinate_fits_shape, 3, 2);
}

TEST(Algebra, ARefusalIsASentence) {
  try {
    compose("(6,4):(1,100)"_layout, "3:4"_layout);
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_STREQ(refused.what(),
                 "compose: inner stride 4 and outer extent 6 do not divide one another");
  }
}

}  // namespace
}  // namespace aisp::tile
