// Rung 0: three kernels. The library's batched product writes q k' / sqrt(D) as f32, a softmax
// reads it and writes bf16 weights, and a second product multiplies them by v. Every score crosses
// memory twice, every weight twice.
#include "chapters/ch10/attention/softmax.cuh"
#include "chapters/ch10/common/attention_args.hpp"
#include "chapters/ch10/common/plan_workspace.hpp"
#include "lab/case/per_buffers.hpp"
#include "lab/case/registry.hpp"
#include "tile/device/gemm/gemm.hpp"

using namespace aisp;

namespace {

using namespace ch10;
using tile::device::GemmProblem;
using tile::device::Plan;

__global__ void __launch_bounds__(32 * softmax_warps)
    softmax_rows(const __grid_constant__ SoftmaxArgs args) {
  softmax_row(args);
}

// Scores and weights, rows of `stride` elements; the same memory for all buffers.
struct Between {
  float* scores;
  std::uint16_t* weights;
  std::int64_t stride;
};

struct Plans {
  Plan scores, outputs;
};

// Both products of all heads at once.
Plans plan_products(const lab::Problem& problem, const Between& between, const void* q,
                    const void* k, const void* v, void* o, const tile::device::Allocate& allocate) {
  const auto& shape = problem.inputs[0].shape;
  const std::int64_t heads = shape[0] * shape[1], rows = shape[2], size = shape[3];
  const std::int64_t of_head = rows * size, of_scores = rows * between.stride;
  GemmProblem scores{.m = rows, .n = rows, .k = size, .batch = heads};
  scores.a = {.data = q, .stride = size, .batch_stride = of_head};
  scores.b = {.data = k, .stride = size, .batch_stride = of_head};
  scores.d = {.data = between.scores,
              .element = tile::Element::f32,
              .stride = between.stride,
              .batch_stride = of_scores};
  scores.alpha = 1.0f / std::sqrt(static_cast<float>(size));
  GemmProblem outputs{.m = rows, .n = size, .k = rows, .batch = heads};
  outputs.a = {.data = between.weights, .stride = between.stride, .batch_stride = of_scores};
  // v is (rows, size): what is multiplied along is not contiguous.
  outputs.b = {.data = v, .stride = size, .major = tile::Major::mn, .batch_stride = of_head};
  outputs.d = {.data = o, .stride = size, .batch_stride = of_head};
  return {plan_gemm(scores, allocate), plan_gemm(outputs, allocate)};
}

lab::Enqueue in_turn(const Plans& plans, const SoftmaxArgs& softmax) {
  const auto blocks = static_cast<unsigned>((softmax.rows + softmax_warps - 1) / softmax_warps);
  return [plans, softmax, blocks](cudaStream_t stream) {
    plans.scores.run(stream);
    softmax_rows<<<blocks, 32 * softmax_warps, 0, stream>>>(softmax);
    lab::check_cuda(cudaGetLastError(), "softmax_rows");
    plans.outputs.run(stream);
  };
}

lab::Run prepare(lab::Setup& setup) {
  const auto& shape = setup.problem().inputs[0].shape;
  const std::int64_t rows = shape[0] * shape[1] * shape[2];
  const std::int64_t stride = (shape[2] + 7) / 8 * 8;
  const auto elements = static_cast<std::size_t>(rows * stride);
  const Between between{static_cast<float*>(setup.scratch(elements * 4)),
                        static_cast<std::uint16_t*>(setup.scratch(elements * 2)), stride};
  const SoftmaxArgs softmax{between.scores, between.weights, rows, static_cast<int>(shape[2]),
                            static_cast<int>(stride)};
  PlanWorkspace workspace;  // of both products
  void* any = between.scores;
  plan_products(setup.problem(), between, any, any, any, any, workspace.first(flags_of(setup)));
  return lab::per_buffers([between, softmax, workspace](const lab::Launch& launch) -> lab::Enqueue {
    return in_turn(plan_products(launch.problem, between, launch.in<void>(0), launch.in<void>(1),
                                 launch.in<void>(2), launch.out<void>(0), workspace.again()),
                   softmax);
  });
}

const lab::RungEntry entry{"ch10:attention",
                           {.name = "three_kernels",
                            .step = 0,
                            .builds_on = "",
                            .idea = "product, softmax, product: scores and weights go to memory",
                            .look_at = "bytes of scores and weights against those of q, k, v and o",
                            .needs = lab::Needs::sm_90a,
                            .prepare = prepare}};

}  // namespace
