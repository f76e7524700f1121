// Rung 11: outputs are corrected and stored by a third warpgroup, beside the softmax of the next
// scores and no longer ahead of it.
#include "chapters/ch10/flash_attention/tcgen05_rung.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100AttentionConfig config(int head_size) {
  tile::Sm100AttentionConfig config = ch10::tcgen05_config(head_size);
  config.query_tiles = 2;
  config.correction = true;
  return config;
}
struct Correction64 : tile::Sm100AttentionRecipe<config(64)> {};
struct Correction128 : tile::Sm100AttentionRecipe<config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "correction_warpgroup",
     .step = 11,
     .builds_on = "two_query_tiles",
     .idea = "a warpgroup of its own corrects outputs and stores them",
     .look_at = "the softmax hands over one number for a row, and touches no output",
     .needs = lab::Needs::sm_100a,
     .prepare = ch10::run_tcgen05_by_head_size<Correction64, Correction128>}};

}  // namespace
