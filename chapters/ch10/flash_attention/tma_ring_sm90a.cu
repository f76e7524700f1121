// Rung 4: keys and values by TMA. One of the threads asks for the next block while the products of
// this one run; barriers in shared memory count bytes and readers, so that the warpgroups no longer
// meet at every block.
#include "chapters/ch10/flash_attention/one_role_launch.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr ch10::OneRoleConfig config(int head_size) {
  ch10::OneRoleConfig config = ch10::ladder_config(head_size);
  config.register_p = true;
  config.folded = true;
  config.tma = true;
  return config;
}

struct TmaRing64 : ch10::OneRole<config(64)> {};
struct TmaRing128 : ch10::OneRole<config(128)> {};

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "tma_ring",
     .step = 4,
     .builds_on = "exp2_folded",
     .idea = "keys and values by TMA into a ring, one thread asks",
     .look_at = "no copies and addresses in the loop; warpgroups drift apart",
     .needs = lab::Needs::sm_90a,
     .prepare = ch10::run_by_head_size<TmaRing64, TmaRing128>}};

}  // namespace
