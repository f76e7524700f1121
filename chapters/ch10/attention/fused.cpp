// Rung 1: one kernel. Each block keeps its queries, walks over keys and values, and holds the
// softmax of what it has seen: the library's attention.
#include "chapters/ch10/common/attention_library.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{"ch10:attention",
                           {.name = "fused",
                            .step = 1,
                            .builds_on = "three_kernels",
                            .idea = "one kernel with an online softmax: no score leaves the chip",
                            .look_at = "one launch; memory traffic of q, k, v and o alone",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch10::run_attention_library}};

}  // namespace
