// Rung 1: both products by wgmma. Two warpgroups of 64 queries read operands straight from shared
// memory; keys and values still come by cp.async of all threads, and the weights, which are
// accumulators in registers, go through shared memory to become operand A.
#include "chapters/ch10/flash_attention/one_role_launch.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using ch10::ladder_config;

struct Wgmma64 : ch10::OneRole<ladder_config(64)> {};
struct Wgmma128 : ch10::OneRole<ladder_config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "wgmma",
     .step = 1,
     .builds_on = "mma_sync",
     .idea = "wgmma: 64 queries per instruction, operands straight from shared memory",
     .look_at =
         "no fragments in registers; stores of weights and a barrier before the second product",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_by_head_size<Wgmma64, Wgmma128>}};

}  // namespace
