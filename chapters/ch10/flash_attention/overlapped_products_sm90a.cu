// Rung 6: the scores of the next block are under way while this block's softmax runs: the matrix
// unit has work of the same warpgroup that the softmax does not wait for.
#include "chapters/ch10/flash_attention/roles.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm90AttentionConfig config(int head_size) {
  tile::Sm90AttentionConfig config = ch10::roles_config(head_size);
  config.overlapped = true;
  return config;
}
struct Overlapped64 : tile::Sm90AttentionRecipe<config(64)> {};
struct Overlapped128 : tile::Sm90AttentionRecipe<config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "overlapped_products",
     .step = 6,
     .builds_on = "warp_specialized",
     .idea = "Q K' of the next block is issued together with P V of this one",
     .look_at = "wait for one group of products instead of all; two blocks of scores in registers",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_roles_by_head_size<Overlapped64, Overlapped128,
                                             ch10::AttentionSchedule::one_per_tile>}};

}  // namespace
