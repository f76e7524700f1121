// Rung 0: one recipe for every shape: 128 x 256 tiles by two warpgroups together, pairs of blocks
// that share B, one block per multiprocessor that walks over them.
#include "chapters/ch10/matmul_recipes/library_run.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

const lab::RungEntry entry{
    "ch10:matmul_recipes",
    {.name = "always_cooperative",
     .step = 0,
     .builds_on = "",
     .idea = "the cooperative persistent kernel, 128 x 256, whatever the shape",
     .look_at = "multiprocessors without a tile; rows of a tile that are past M",
     .needs = lab::Needs::sm_90a,
     .prepare = [](lab::Setup& setup) {
       return ch10::run_choice(setup, {.recipe = "cooperative_128x256_pair"});
     }}};

}  // namespace
