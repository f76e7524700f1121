// Rung 1: the library's attention, the last rung of ch10:flash_attention.
#include "chapters/ch10/common/attention_library.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{"ch10:attention_scaling",
                           {.name = "library",
                            .step = 1,
                            .builds_on = "mma_sync",
                            .idea = "the library's kernel with roles",
                            .look_at = "TFLOP/s over S: a faster kernel needs longer sequences to "
                                       "fill the machine",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch10::run_attention_library}};

}  // namespace
