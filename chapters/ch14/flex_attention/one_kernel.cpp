// Rung 1: the functions, generic lambdas, are traced and compiled into the library's attention.
// A mask that is no window comes with a list of blocks, which is made in every run.
#include "chapters/ch14/common/flex_rung.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch14:flex_attention",
    {.name = "one_kernel",
     .step = 1,
     .builds_on = "scores_in_memory",
     .idea = "the lambdas traced and compiled into the attention kernel: no score leaves the chip",
     .look_at = "aisp inspect ch14:flex_attention/one_kernel: struct Functions",
     .needs = lab::Needs::sm_90a,
     .prepare = ch14::flex_rung(ch14::BlockMaskIs::made_each_run)}};

}  // namespace
