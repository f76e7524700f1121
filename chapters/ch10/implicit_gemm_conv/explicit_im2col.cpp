// Rung 0: the patches are written to memory as a matrix, r * s times as large as x, and the
// library's matrix product reads them from there. Where a pixel is its own patch (one tap, every
// pixel), x is that matrix already and nothing is copied.
#include "chapters/ch10/implicit_gemm_conv/im2col.hpp"
#include "chapters/ch10/implicit_gemm_conv/library_conv.hpp"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

using namespace tile::device;

GemmProblem product(const lab::ConvShape& conv, const void* patches, const void* w, void* y) {
  GemmProblem problem{.m = conv.pixels(), .n = conv.k, .k = conv.depth()};
  problem.a = {.data = patches, .stride = conv.depth()};
  problem.b = {.data = w, .stride = conv.depth()};
  problem.d = {.data = y, .stride = conv.k};
  return problem;
}

lab::Run prepare(lab::Setup& setup) {
  const lab::ConvShape conv = ch10::conv_shape(setup.problem());
  const bool copies = conv.r > 1 || conv.stride > 1;
  void* patches =
      copies ? setup.scratch(static_cast<std::size_t>(2 * conv.pixels() * conv.depth())) : nullptr;
  // By the rule alone: what has been tuned on this device does not count.
  void* stand_in = setup.scratch(256);
  const GemmProblem shape = product(conv, stand_in, stand_in, stand_in);
  const GemmChoice choice = choose(shape, current_machine(), gemm_recipes());
  ch10::PlanWorkspace workspace;
  plan_gemm(shape, choice, workspace.first(ch10::flags_of(setup)));
  return lab::per_buffers([=](const lab::Launch& launch) -> lab::Enqueue {
    const void* x = launch.inputs.at(0);
    const auto plan =
        plan_gemm(product(conv, copies ? patches : x, launch.inputs.at(1), launch.outputs.at(0)),
                  choice, workspace.again());
    return [=](cudaStream_t stream) {
      if (copies) ch10::im2col::enqueue(conv, x, patches, stream);
      plan.run(stream);
    };
  });
}

const lab::RungEntry entry{"ch10:implicit_gemm_conv",
                           {.name = "explicit_im2col",
                            .step = 0,
                            .builds_on = "",
                            .idea = "patches written to memory, then a matrix product",
                            .look_at = "two kernels; bytes written and read again between them",
                            .needs = lab::Needs::sm_80,
                            .prepare = prepare}};

}  // namespace
