// C (M, N) = A (M, K) times the transpose of B (N, K), row-major, through the instruction of each
// generation, in the types that the generations brought: 16-bit floats, tf32 (fp32 data) and int8
// with exact i32 accumulators.
#include "lab/case/registry.hpp"
#include "lab/judge/gemm_problem.hpp"

using namespace aisp;

namespace {

lab::Problem problem(const lab::Size& size) {
  return lab::gemm_problem("tensor_core_generations", size, lab::gemm_types(size.variant),
                           lab::GemmB::nk);
}

lab::Target target() {
  lab::Target target;
  target.chapter = "ch10";
  target.name = "tensor_core_generations";
  target.idea = "one product through the instruction of each generation";
  target.shows_in = lab::Count::instructions;
  target.axes = {"M", "N", "K"};
  target.variants = {"fp16", "bf16", "tf32", "int8"};
  for (const auto& variant : target.variants) {
    target.full.push_back({variant, {4096, 4096, 4096}});
    target.quick.push_back({variant, {136, 144, 208}});
  }
  target.problem = problem;
  return target;
}

const lab::TargetEntry entry{target()};

}  // namespace
