// Rung 9: what the library takes for the head size: three warpgroups where heads are small.
#include "chapters/ch10/common/attention_library.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{"ch10:flash_attention",
                           {.name = "library",
                            .step = 9,
                            .builds_on = "persistent",
                            .idea = "tile::device::attention: a configuration for each head size",
                            .look_at = "tile/instances/attention.cu",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch10::run_attention_library}};

}  // namespace
