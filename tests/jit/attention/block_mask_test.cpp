// Block masks against every pair of their rows and keys, for all shapes around the edges of blocks.
#include <gtest/gtest.h>

#include "tests/jit/attention/flex.hpp"
#include "tile/collective/attention/lists.hpp"

namespace aisp::jit::testing {
namespace {

using aisp::tile::block_of;
using aisp::tile::sees_all;

// Memory that is described and never read.
attention_test::AttentionProblem described(int queries, int keys) {
  const auto tensor = [&](int rows) {
    return tile::device::HeadTensor{.data = reinterpret_cast<void*>(std::uintptr_t{1} << 20),
                                    .row_stride = 128,
                                    .head_stride = std::int64_t{rows} * 128,
                                    .batch_stride = std::int64_t{rows} * 128};
  };
  attention_test::AttentionProblem problem{
      .query_rows = queries, .kv_rows = keys, .head_size = 128};
  problem.q = problem.o = tensor(queries);
  problem.k = problem.v = tensor(keys);
  return problem;
}

// What the block mask must say, and how much of what it may say it does say.
struct Compared {
  std::int64_t certain = 0, of = 0;
};

Compared compare(const FlexAttention& attention, int queries, int keys) {
  const FlexPlan plan = attention.plan(described(queries, keys));
  plan.make_block_mask();
  const BlockMaskCopy mask = plan.block_mask();
  const ScoreFunctions& functions = attention.functions();
  const HostCopies copies(functions.function().parameters, functions.arrays());
  const HostCopies::Reading reading(copies);
  Compared compared;
  for (int tile = 0; tile < mask.row_tiles; ++tile) {
    std::map<int, unsigned> entries;
    int before = -1;
    for (const unsigned entry : mask.lists[static_cast<std::size_t>(tile)]) {
      EXPECT_GT(block_of(entry), before) << "blocks ascend";
      entries[before = block_of(entry)] = entry;
    }
    for (int block = 0; block < mask.blocks; ++block)
      for (int half = 0; half < 2; ++half) {
        const int first = tile * 128 + half * 64, last = std::min(first + 64, queries);
        if (last <= first) continue;
        std::int64_t seen = 0;
        for (int row = first; row < last; ++row)
          for (int key = block * 128; key < std::min(block * 128 + 128, keys); ++key)
            seen += functions.sees({.sequence = 0,
                                    .head = 0,
                                    .query = row + keys - queries,
                                    .key = key,
                                    .query_row = row,
                                    .key_row = key,
                                    .queries = queries,
                                    .keys = keys})
                        ? 1
                        : 0;
        const bool all = seen == std::int64_t{last - first} * 128;
        const auto found = entries.find(block);
        if (found == entries.end()) {
          EXPECT_EQ(seen, 0) << queries << " x " << keys << ", tile " << tile << ", block "
                             << block;
        } else if (sees_all(found->second, half)) {
          EXPECT_TRUE(all) << queries << " x " << keys << ", tile " << tile << ", block " << block;
        }
        compared.of += all ? 1 : 0;
        compared.certain += found != entries.end() && sees_all(found->second, half) ? 1 : 0;
      }
  }
  return compared;
}

TEST(BlockMask, IsWhatEveryPairSays) {
  std::vector<int> ids;
  for (int row = 0; row < 400; ++row) ids.push_back(row < 130 ? 0 : row < 150 ? 1 : 2);
  const auto document = uploaded<int>(ids, "document");
  const FlexAttention documents(AttentionFunctions{.mask = [=](auto at) {
    return at.query >= at.key && document[at.key] == document[abs(at.query)];
  }});
  const FlexAttention prefix(
      AttentionFunctions{.mask = [](auto at) { return at.query >= at.key || at.key < 140; }});
  // Whatever shape: one kernel each.
  Compared all;
  for (const int queries : {65, 127, 128, 129, 192, 193, 300})
    for (const int keys : {1, 63, 64, 127, 128, 129, 255, 256, 257, 320, 384})
      for (const FlexAttention* one : {&documents, &prefix}) {
        const Compared compared = compare(*one, queries, keys);
        all.certain += compared.certain;
        all.of += compared.of;
      }
  EXPECT_EQ(all.certain, all.of);  // of these masks intervals find every whole block
  EXPECT_GT(all.of, 100);
}

}  // namespace
}  // namespace aisp::jit::testing
