// The baseline of the flex targets, for its two files of kernels.
#pragma once

#include "chapters/ch14/common/scores_in_memory.cuh"
#include "lab/case/per_buffers.hpp"

namespace aisp::ch14 {

struct StoredKernels {
  void (*change)(StoredScores);
  void (*hide)(StoredScores);
  void (*softmax)(StoredScores);
};

struct StoredPlans {
  tile::device::Plan scores, outputs;
};

// Both products of all heads at once.
inline StoredPlans plan_products(const lab::Problem& problem, const StoredScores& between,
                                 const void* q, const void* k, const void* v, void* o) {
  const auto& shape = problem.inputs[0].shape;
  const std::int64_t heads = shape[0] * shape[1], rows = shape[2], size = shape[3];
  const std::int64_t of_head = rows * size, of_scores = rows * between.stride;
  tile::device::GemmProblem scores{.m = rows, .n = rows, .k = size, .batch = heads};
  scores.a = {.data = q, .stride = size, .batch_stride = of_head};
  scores.b = {.data = k, .stride = size, .batch_stride = of_head};
  scores.d = {.data = between.scores,
              .element = tile::Element::f32,
              .stride = between.stride,
              .batch_stride = of_scores};
  scores.alpha = 1.0f / std::sqrt(static_cast<float>(size));
  tile::device::GemmProblem outputs{.m = rows, .n = size, .k = rows, .batch = heads};
  outputs.a = {.data = between.weights, .stride = between.stride, .batch_stride = of_scores};
  outputs.b = {.data = v, .stride = size, .major = tile::Major::mn, .batch_stride = of_head};
  outputs.d = {.data = o, .stride = size, .batch_stride = of_head};
  return {plan_gemm(scores), plan_gemm(outputs)};
}

// Kernels that have nothing to do for a function are not launched.
inline lab::Enqueue in_turn(const StoredPlans& plans, const StoredScores& stored,
                            const StoredKernels& kernels) {
  const bool masked = stored.flex == Flex::causal || stored.flex == Flex::causal_alibi ||
                      stored.flex == Flex::document || stored.flex == Flex::prefix ||
                      stored.flex == Flex::window;
  const bool changed = !masked || stored.flex == Flex::causal_alibi;
  return [=](cudaStream_t stream) {
    const auto launch = [&](void (*kernel)(StoredScores)) {
      kernel<<<static_cast<unsigned>(stored.rows), stored_threads, 0, stream>>>(stored);
      lab::check_cuda(cudaGetLastError(), "scores in memory");
    };
    plans.scores.run(stream);
    if (changed && stored.flex != Flex::full) launch(kernels.change);
    if (masked) launch(kernels.hide);
    launch(kernels.softmax);
    plans.outputs.run(stream);
  };
}

inline lab::Run prepare_stored(lab::Setup& setup, const StoredKernels& kernels) {
  const auto& shape = setup.problem().inputs[0].shape;
  const std::int64_t rows = shape[0] * shape[1] * shape[2], stride = (shape[2] + 7) / 8 * 8;
  const auto elements = static_cast<std::size_t>(rows * stride);
  StoredScores stored{.scores = static_cast<float*>(setup.scratch(elements * 4)),
                      .weights = static_cast<std::uint16_t*>(setup.scratch(elements * 2)),
                      .rows = rows,
                      .sequence_rows = static_cast<int>(shape[2]),
                      .heads = static_cast<int>(shape[1]),
                      .stride = static_cast<int>(stride),
                      .flex = flex_of(setup.problem()),
                      .slope = nullptr,
                      .document = documents_of(setup)};
  return lab::per_buffers([stored, kernels](const lab::Launch& launch) mutable -> lab::Enqueue {
    stored.slope = launch.in<float>(3);
    return in_turn(plan_products(launch.problem, stored, launch.in<void>(0), launch.in<void>(1),
                                 launch.in<void>(2), launch.out<void>(0)),
                   stored, kernels);
  });
}

}  // namespace aisp::ch14
