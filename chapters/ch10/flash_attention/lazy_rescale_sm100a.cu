// Rung 12: a row keeps its maximum until a score is more than 8 (a factor of 256 in weights) above
// it: sums in f32 have room for that, and the correction is skipped for nearly all blocks.
#include "chapters/ch10/flash_attention/tcgen05_rung.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100AttentionConfig config(int head_size) {
  tile::Sm100AttentionConfig config = ch10::tcgen05_config(head_size);
  config.query_tiles = 2;
  config.correction = true;
  config.slack = 8;
  return config;
}
struct LazyRescale64 : tile::Sm100AttentionRecipe<config(64)> {};
struct LazyRescale128 : tile::Sm100AttentionRecipe<config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "lazy_rescale",
     .step = 12,
     .builds_on = "correction_warpgroup",
     .idea = "outputs are corrected only where a maximum has grown by more than 2^8",
     .look_at = "loads and stores of outputs in tensor memory: nearly none are left",
     .needs = lab::Needs::sm_100a,
     .prepare = ch10::run_tcgen05_by_head_size<LazyRescale64, LazyRescale128>}};

}  // namespace
