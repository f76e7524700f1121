// Rung 0: what gemm() takes: the rule estimates every recipe of the library for the shape.
#include "chapters/ch09/common/nvfp4_rung.hpp"
#include "tile/device/gemm/gemm.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  const auto shape = ch09::nvfp4::shape_of(setup.problem());
  const auto choice =
      tile::device::choose(shape, tile::device::current_machine(), tile::device::gemm_recipes());
  setup.note(base::say("the rule takes ", choice.recipe));
  return ch09::nvfp4::bound_run(shape, [](const tile::device::GemmProblem& problem) {
    return tile::device::PlannedRun(
        [plan = tile::device::plan_gemm(problem)](cudaStream_t stream) { plan.run(stream); });
  });
}

const lab::RungEntry entry{"ch09:nvfp4_schedule",
                           {.name = "automatic",
                            .step = 0,
                            .builds_on = "",
                            .idea = "the library's rule chooses tile, pair and schedule",
                            .look_at = "which recipe it takes, and how many tiles that makes",
                            .needs = lab::Needs::sm_100a,
                            .prepare = prepare}};

}  // namespace
