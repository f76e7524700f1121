// Rung 9: Blackwell's instructions. One thread issues products of 128 queries whose scores, weights
// and outputs lie in tensor memory; four warps, a thread for each row, make weights of scores and
// correct the outputs whenever a maximum grows.
#include "chapters/ch10/flash_attention/tcgen05_rung.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

struct TensorMemory64 : tile::Sm100AttentionRecipe<ch10::tcgen05_config(64)> {};
struct TensorMemory128 : tile::Sm100AttentionRecipe<ch10::tcgen05_config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "tensor_memory",
     .step = 9,
     .builds_on = "mma_sync",
     .idea =
         "scores and outputs in tensor memory: a warp loads, a thread multiplies, four warps weigh",
     .look_at =
         "a thread has a row of scores: no shuffles; the tensor core waits for every softmax",
     .needs = lab::Needs::sm_100a,
     .prepare = ch10::run_tcgen05_by_head_size<TensorMemory64, TensorMemory128>}};

}  // namespace
