// Rung 2: the weights stay in registers. The accumulators of one product lie where operand A of the
// next is expected: packed to bf16 in pairs they are that operand.
#include "chapters/ch10/flash_attention/one_role_launch.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr ch10::OneRoleConfig config(int head_size) {
  ch10::OneRoleConfig config = ch10::ladder_config(head_size);
  config.register_p = true;
  return config;
}

struct RegisterP64 : ch10::OneRole<config(64)> {};
struct RegisterP128 : ch10::OneRole<config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "register_p",
     .step = 2,
     .builds_on = "wgmma",
     .idea = "weights go from one product to the next in registers",
     .look_at = "no stores to shared memory and no barrier between the products",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_by_head_size<RegisterP64, RegisterP128>}};

}  // namespace
