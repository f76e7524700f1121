// The library's compiled products as rungs: a choice of recipe, planned for the lab's problem.
#pragma once

#include "chapters/ch10/common/plan_workspace.hpp"
#include "lab/case/per_buffers.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::ch10 {

using tile::device::Choice;
using tile::device::GemmProblem;

// C (M, N) = A (M, K) times the transpose of B (N, K), bf16 or e4m3 in, bf16 out.
inline GemmProblem library_product(const lab::Problem& problem, const void* a, const void* b,
                                   void* c) {
  const auto& size = problem.size.dims;
  const auto element =
      problem.inputs.at(0).dtype == lab::Dtype::e4m3 ? tile::Element::e4m3 : tile::Element::bf16;
  const std::int64_t m = size.at(0), n = size.at(1), k = size.at(2);
  return {.m = m,
          .n = n,
          .k = k,
          .a = {.data = a, .element = element, .stride = k},
          .b = {.data = b, .element = element, .stride = k},
          .d = {.data = c, .element = tile::Element::bf16, .stride = n}};
}

inline lab::Run run_choice(lab::Setup& setup, const Choice& choice) {
  PlanWorkspace workspace;
  void* stand_in = setup.scratch(256);
  plan_gemm(library_product(setup.problem(), stand_in, stand_in, stand_in), choice,
            workspace.first(flags_of(setup)));
  return lab::per_buffers([choice, workspace](const lab::Launch& launch) -> lab::Enqueue {
    const auto plan = plan_gemm(library_product(launch.problem, launch.inputs.at(0),
                                                launch.inputs.at(1), launch.outputs.at(0)),
                                choice, workspace.again());
    return [plan](cudaStream_t stream) { plan.run(stream); };
  });
}

}  // namespace aisp::ch10
