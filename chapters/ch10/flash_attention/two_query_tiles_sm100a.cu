// Rung 10: a second tile of queries with a warpgroup of its own. The tensor core has the products
// of one while the scores of the other become weights.
#include "chapters/ch10/flash_attention/tcgen05_rung.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100AttentionConfig config(int head_size) {
  tile::Sm100AttentionConfig config = ch10::tcgen05_config(head_size);
  config.query_tiles = 2;
  return config;
}
struct TwoTiles64 : tile::Sm100AttentionRecipe<config(64)> {};
struct TwoTiles128 : tile::Sm100AttentionRecipe<config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "two_query_tiles",
     .step = 10,
     .builds_on = "tensor_memory",
     .idea = "two tiles of queries in turn: one has its products while the other is weighed",
     .look_at = "512 columns of tensor memory; keys and values are loaded once for 256 queries",
     .needs = lab::Needs::sm_100a,
     .prepare = ch10::run_tcgen05_by_head_size<TwoTiles64, TwoTiles128>}};

}  // namespace
