// Rung 14: the library's kernel for Blackwell. A quarter of the exponentials are polynomials on the
// units that multiply and add: at 16 a cycle the special-function unit is as busy as the tensor
// core with heads of 128, and twice as busy with heads of 64.
#include "chapters/ch10/common/attention_library.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/attention/instances.hpp"

using namespace aisp;

namespace {

lab::Run prepare(lab::Setup& setup) {
  return ch10::run_attention(
      setup, [](const tile::device::AttentionProblem& problem, const tile::device::Allocate&) {
        return tile::device::plan_forward_sm100(problem);
      });
}

const lab::RungEntry entry{"ch10:flash_attention",
                           {.name = "polynomial_exp2",
                            .step = 14,
                            .builds_on = "weights_in_parts",
                            .idea = "a quarter of the exponentials on the FMA units, in pairs",
                            .look_at = "ex2.approx against fma.rn.f32x2 in the softmax",
                            .needs = lab::Needs::sm_100a,
                            .prepare = prepare}};

}  // namespace
