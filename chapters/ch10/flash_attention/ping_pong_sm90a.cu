// Rung 7: the warpgroups take turns at the matrix unit, so that one's softmax runs under the
// other's products. Rung 8 runs the same kernel, on fewer blocks.
#include "chapters/ch10/flash_attention/ping_pong.hpp"
#include "chapters/ch10/flash_attention/roles.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90AttentionConfig config(int head_size) {
  tile::Sm90AttentionConfig config = ch10::roles_config(head_size);
  config.overlapped = config.ping_pong = true;
  return config;
}
struct PingPong64 : tile::Sm90AttentionRecipe<config(64)> {};
struct PingPong128 : tile::Sm90AttentionRecipe<config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "ping_pong",
     .step = 7,
     .builds_on = "overlapped_products",
     .idea = "two warpgroups in turns: softmax of one under the products of the other",
     .look_at = "bar.sync between the warpgroups; the matrix pipe's share of cycles",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_roles_by_head_size<PingPong64, PingPong128,
                                             ch10::AttentionSchedule::one_per_tile>}};

}  // namespace

namespace aisp::ch10 {

lab::Run run_ping_pong_persistent(lab::Setup& setup) {
  return run_roles_by_head_size<PingPong64, PingPong128, AttentionSchedule::persistent>(setup);
}

}  // namespace aisp::ch10
