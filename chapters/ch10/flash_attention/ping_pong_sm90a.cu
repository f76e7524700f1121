// Rungs 7 and 8. Ping-pong: the warpgroups take turns at the matrix unit, so that one's softmax
// runs under the other's products. Persistent: the same kernel once per multiprocessor; blocks take
// tiles by a counter, those with the most keys first, and the next tile's products start beside the
// last one of this.
#include "chapters/ch10/flash_attention/roles.cuh"
#include "lab/case/registry.hpp"

namespace {

constexpr tile::AttentionConfig config(int head_size) {
  tile::AttentionConfig config = ch10::roles_config(head_size);
  config.overlapped = config.ping_pong = true;
  return config;
}
struct PingPong64 : tile::AttentionRecipe<config(64)> {};
struct PingPong128 : tile::AttentionRecipe<config(128)> {};

const lab::RungEntry ping_pong{
    "ch10:flash_attention",
    {.name = "ping_pong",
     .step = 7,
     .builds_on = "overlapped_products",
     .idea = "two warpgroups in turns: softmax of one under the products of the other",
     .look_at = "bar.sync between the warpgroups; the matrix pipe's share of cycles",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_roles_by_head_size<PingPong64, PingPong128,
                                             ch10::AttentionWorkers::one_per_tile>}};

const lab::RungEntry persistent{
    "ch10:flash_attention",
    {.name = "persistent",
     .step = 8,
     .builds_on = "ping_pong",
     .idea = "blocks stay and take tiles by a counter, the longest first under a causal mask",
     .look_at = "132 blocks; short sequences, where a tile's start and end weigh most",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_roles_by_head_size<PingPong64, PingPong128,
                                             ch10::AttentionWorkers::persistent>}};

}  // namespace
