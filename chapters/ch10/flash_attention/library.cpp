// Rung 15: what the library takes for the device and the head size: on Hopper three warpgroups
// where heads are small, on Blackwell the kernel of rung 14.
#include "chapters/ch10/common/attention_library.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch10:flash_attention",
    {.name = "library",
     .step = 15,
     .builds_on = "persistent",
     .idea = "tile::device::attention: a kernel for each device and head size",
     .look_at = "tile/instances/attention/forward.cu, tcgen05_sm100a.cu",
     .needs = lab::Needs::sm_90,
     .prepare = ch10::run_attention_library}};

}  // namespace
