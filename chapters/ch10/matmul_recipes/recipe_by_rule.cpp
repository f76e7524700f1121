// Rung 1: the recipe that the rule of tile/device/gemm/choose.hpp estimates to take the least time
// for this shape on this machine.
#include "chapters/ch10/matmul_recipes/library_run.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

// The rule alone: what has been tuned on this device does not count.
lab::Run prepare(lab::Setup& setup) {
  const auto shape = ch10::library_product(setup.problem(), nullptr, nullptr, nullptr);
  return ch10::run_choice(setup, tile::device::choose(shape, tile::device::current_machine(),
                                                      tile::device::gemm_recipes()));
}

const lab::RungEntry entry{"ch10:matmul_recipes",
                           {.name = "recipe_by_rule",
                            .step = 1,
                            .builds_on = "always_cooperative",
                            .idea = "tile, schedule and split by the library's rule for the shape",
                            .look_at = "the kernel name: which recipe the shape gets",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
