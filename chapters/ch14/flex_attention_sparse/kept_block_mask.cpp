// Rung 3: the list made once for many runs.
#include "chapters/ch14/common/flex_rung.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{"ch14:flex_attention_sparse",
                           {.name = "kept_block_mask",
                            .step = 3,
                            .builds_on = "block_mask",
                            .idea = "the list made once for many runs",
                            .look_at = "one launch",
                            .needs = lab::Needs::sm_90a,
                            .prepare = ch14::flex_rung(ch14::BlockMaskIs::kept)}};

}  // namespace
