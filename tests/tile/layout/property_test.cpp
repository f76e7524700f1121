// Laws of the algebra on thousands of random layouts, judged on every index.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/tile/layout/generator.hpp"
#include "tests/tile/layout/offsets.hpp"
#include "tile/layout/query.hpp"
#include "tile/layout/text.hpp"
#include "tile/layout/tiling.hpp"

namespace aisp::tile {
namespace {

TEST(LayoutLaws, CoalesceKeepsTheFunction) {
  LayoutGenerator random(1);
  for (int round = 0; round < 3000; ++round) {
    const Layout layout = random.any();
    const Layout merged = coalesce(layout), by_mode = coalesce(layout, layout.shape);
    ASSERT_EQ(offsets_of(merged), offsets_of(layout)) << to_text(layout);
    ASSERT_EQ(offsets_of(by_mode), offsets_of(layout)) << to_text(layout);
    ASSERT_EQ(offsets_of(flatten(layout)), offsets_of(layout)) << to_text(layout);
    ASSERT_LE(depth(merged), 1);
    ASSERT_EQ(coalesce(merged), merged);
  }
}

TEST(LayoutLaws, AnIndexAndItsCoordinatesHaveOneOffset) {
  LayoutGenerator random(2);
  for (int round = 0; round < 500; ++round) {
    const Layout layout = random.any();
    for (int index = 0; index < size(layout); ++index) {
      ASSERT_EQ(layout(coord_of(layout.shape, index)), layout(index)) << to_text(layout);
      ASSERT_EQ(layout(mode_coord_of(layout.shape, index)), layout(index)) << to_text(layout);
    }
  }
}

TEST(LayoutLaws, ComposeIsComposition) {
  LayoutGenerator random(3);
  int admitted = 0;
  for (int round = 0; round < 20000; ++round) {
    const Layout outer = random.any(), inner = round % 2 ? random.any() : random.nested();
    const Attempt both = try_compose(outer, inner);
    if (both.refusal) continue;
    ++admitted;
    ASSERT_EQ(size(both.layout), size(inner));
    if (!is_leaf(inner.shape)) {
      ASSERT_EQ(rank(both.layout), rank(inner));
    }
    for (int index = 0; index < size(inner); ++index)
      ASSERT_EQ(both.layout(index), outer(inner(index)))
          << to_text(outer) << " o " << to_text(inner) << " = " << to_text(both.layout);
  }
  EXPECT_GT(admitted, 3000);
}

TEST(LayoutLaws, ComposingWithTheIdentityChangesNothing) {
  LayoutGenerator random(4);
  for (int round = 0; round < 1000; ++round) {
    const Layout layout = random.any();
    const Layout identity = column_major(layout.shape);
    ASSERT_EQ(offsets_of(compose(layout, identity)), offsets_of(layout)) << to_text(layout);
    ASSERT_EQ(offsets_of(compose(column_major(cosize(layout)), layout)), offsets_of(layout));
  }
}

TEST(LayoutLaws, ComplementIsDisjointOrderedAndFills) {
  LayoutGenerator random(5);
  for (int round = 0; round < 3000; ++round) {
    const Layout layout = random.nested();
    const int extent = cosize(layout) + random.below(50);
    const Attempt attempt = try_complement(layout, extent);
    ASSERT_FALSE(attempt.refusal) << to_text(layout);
    const Layout& rest = attempt.layout;
    const std::vector<int> offsets = offsets_of(rest);
    ASSERT_TRUE(std::is_sorted(offsets.begin(), offsets.end())) << to_text(rest);
    const Layout together = join(layout, rest);
    ASSERT_TRUE(all_different(together)) << to_text(layout) << " with " << to_text(rest);
    ASSERT_TRUE(is_bijective(together)) << to_text(layout) << " with " << to_text(rest);
    ASSERT_GE(size(together), extent);
  }
}

TEST(LayoutLaws, InversesInvert) {
  LayoutGenerator random(6);
  for (int round = 0; round < 2000; ++round) {
    const Layout layout = round % 2 ? random.nested() : random.any();
    const Layout right = right_inverse(layout);
    for (int offset = 0; offset < size(right); ++offset)
      ASSERT_EQ(layout(right(offset)), offset) << to_text(layout);
    if (round % 2 == 0) continue;
    const Layout left = left_inverse(layout);
    for (int index = 0; index < size(layout); ++index)
      ASSERT_EQ(left(layout(index)), index) << to_text(layout);
  }
}

TEST(LayoutLaws, DivisionKeepsEveryOffsetOnce) {
  LayoutGenerator random(7);
  int admitted = 0;
  for (int round = 0; round < 6000; ++round) {
    const Layout layout = random.any(), tiler = random.nested();
    const Attempt divided = try_logical_divide(layout, tiler);
    if (divided.refusal) continue;
    ++admitted;
    ASSERT_EQ(sorted_offsets(divided.layout), sorted_offsets(layout)) << to_text(layout);
    for (int index = 0; index < size(tiler); ++index)
      ASSERT_EQ(mode(divided.layout, 0)(index), layout(tiler(index)))
          << to_text(layout) << " by " << to_text(tiler);
  }
  EXPECT_GT(admitted, 500);
}

TEST(LayoutLaws, DivisionsDifferOnlyInTheirArrangement) {
  LayoutGenerator random(8);
  for (int round = 0; round < 500; ++round) {
    const int tile_m = 1 + random.below(4), tile_n = 1 + random.below(4);
    const int m = 1 + random.below(4), n = 1 + random.below(4), more = 1 + random.below(3);
    const Layout layout = ordered({tile_m * m, tile_n * n, more},
                                  {random.below(9), random.below(9), random.below(9)});
    const Shape tile{tile_m, tile_n};
    const Layout zipped = zipped_divide(layout, tile);
    for (int i = 0; i < tile_m * m; ++i)
      for (int j = 0; j < tile_n * n; ++j)
        for (int k = 0; k < more; ++k) {
          const int want = layout(i, j, k);
          const int ti = i % tile_m, tj = j % tile_n, ri = i / tile_m, rj = j / tile_n;
          ASSERT_EQ(zipped({{ti, tj}, {ri, rj, k}}), want);
          ASSERT_EQ(tiled_divide(layout, tile)({{ti, tj}, ri, rj, k}), want);
          ASSERT_EQ(flat_divide(layout, tile)(ti, tj, ri, rj, k), want);
          ASSERT_EQ(divide_by_mode(layout, tile)({{ti, ri}, {tj, rj}, {0, k}}), want);
        }
  }
}

TEST(LayoutLaws, AProductRepeatsTheBlockWithoutOverlap) {
  LayoutGenerator random(9);
  int admitted = 0;
  for (int round = 0; round < 3000; ++round) {
    const Layout block = round % 2 ? random.bijective() : random.nested();
    const Layout tiler = random.bijective();
    if (1LL * size(block) * size(tiler) > 20000) continue;
    if (block.shape.count + tiler.shape.count > 6) continue;  // leaves room for split modes
    const Attempt attempt = try_logical_product(block, tiler);
    if (attempt.refusal) continue;
    ++admitted;
    const Layout product = attempt.layout;
    ASSERT_EQ(mode(product, 0), block);
    ASSERT_TRUE(all_different(product)) << to_text(block) << " x " << to_text(tiler);
    if (round % 2) {
      ASSERT_TRUE(is_bijective(product)) << to_text(product);
    }
    const std::vector<int> offsets = sorted_offsets(product);
    ASSERT_EQ(sorted_offsets(blocked_product(block, tiler)), offsets);
    ASSERT_EQ(sorted_offsets(raked_product(block, tiler)), offsets);
    ASSERT_EQ(sorted_offsets(tiled_product(block, tiler)), offsets);
    ASSERT_EQ(sorted_offsets(flat_product(block, tiler)), offsets);
  }
  EXPECT_GT(admitted, 800);
}

TEST(LayoutLaws, TilingToAShapeIsBlockByBlock) {
  LayoutGenerator random(10);
  for (int round = 0; round < 300; ++round) {
    const int m = 1 << random.below(4), n = 1 << random.below(4);
    const int copies_m = 1 + random.below(4), copies_n = 1 + random.below(4);
    const Layout block = random.below(2) ? row_major({m, n}) : column_major({m, n});
    const bool rows_first = random.below(2);
    const Layout whole =
        tile_to_shape(block, {m * copies_m, n * copies_n}, rows_first ? Tuple{0, 1} : Tuple{1, 0});
    ASSERT_EQ(rank(whole), 2);
    for (int i = 0; i < m * copies_m; ++i)
      for (int j = 0; j < n * copies_n; ++j) {
        const int tile = rows_first ? i / m + j / n * copies_m : i / m * copies_n + j / n;
        ASSERT_EQ(whole(i, j), tile * m * n + block(i % m, j % n));
      }
  }
}

}  // namespace
}  // namespace aisp::tile
