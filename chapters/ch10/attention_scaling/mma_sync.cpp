// Rung 0: the fused kernel of Ampere, rung 0 of ch10:flash_attention.
#include "chapters/ch10/flash_attention/mma_sync.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{"ch10:attention_scaling",
                           {.name = "mma_sync",
                            .step = 0,
                            .builds_on = "",
                            .idea = "fused softmax, mma.sync on keys that cp.async brought",
                            .look_at = "TFLOP/s over S: from where on the rate no longer grows",
                            .prepare = ch10::run_attention_mma_sync}};

}  // namespace
