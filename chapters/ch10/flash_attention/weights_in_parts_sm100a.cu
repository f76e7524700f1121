// Rung 13: the product with the values begins when three quarters of the weights are in tensor
// memory, and takes the last quarter when it is there.
#include "chapters/ch10/flash_attention/tcgen05_rung.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr tile::Sm100AttentionConfig config(int head_size) {
  tile::Sm100AttentionConfig config = ch10::tcgen05_config(head_size);
  config.query_tiles = 2;
  config.correction = true;
  config.slack = 8;
  config.weight_parts = 2;
  return config;
}
struct WeightsInParts64 : tile::Sm100AttentionRecipe<config(64)> {};
struct WeightsInParts128 : tile::Sm100AttentionRecipe<config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "weights_in_parts",
     .step = 13,
     .builds_on = "lazy_rescale",
     .idea = "weights are handed over in two parts: the second product starts with three quarters "
             "of them",
     .look_at =
         "two barriers for the weights of a block; the last quarter is computed under the product",
     .needs = lab::Needs::sm_100a,
     .prepare = ch10::run_tcgen05_by_head_size<WeightsInParts64, WeightsInParts128>}};

}  // namespace
