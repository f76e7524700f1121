// Rung 5: a role for every warp. One warp only asks TMA for keys and values, the math warpgroups
// only multiply and weigh; register reallocation moves registers from the former to the latter.
#include "chapters/ch10/flash_attention/roles.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

struct Roles64 : tile::Sm90AttentionRecipe<ch10::roles_config(64)> {};
struct Roles128 : tile::Sm90AttentionRecipe<ch10::roles_config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "warp_specialized",
     .step = 5,
     .builds_on = "tma_ring",
     .idea = "one warp loads, two warpgroups multiply and weigh, with the registers of the first",
     .look_at = "setmaxnreg; no thread that multiplies waits to ask for a copy",
     .needs = lab::Needs::sm_90a,
     .prepare =
         ch10::run_roles_by_head_size<Roles64, Roles128, ch10::AttentionSchedule::one_per_tile>}};

}  // namespace
