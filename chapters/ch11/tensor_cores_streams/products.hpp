// The products of this target as the library plans them, and how several are put side by side.
#pragma once

#include <vector>

#include "chapters/ch11/common/streams.hpp"
#include "tile/device/gemm/gemm.hpp"

namespace aisp::ch11::products {

using tile::device::GemmProblem;
using tile::device::PlannedRun;

// All of them as the library's batch: C (M, N) = A (M, K) times the transpose of B (N, K).
inline GemmProblem batch_of(const lab::Launch& launch) {
  const std::int64_t m = launch.dim(1), n = launch.dim(2), k = launch.dim(3);
  GemmProblem batch{.m = m, .n = n, .k = k, .batch = launch.dim(0)};
  batch.a = {.data = launch.in<void>(0), .stride = k, .batch_stride = m * k};
  batch.b = {.data = launch.in<void>(1), .stride = k, .batch_stride = n * k};
  batch.d = {.data = launch.out<void>(0), .stride = n, .batch_stride = m * n};
  return batch;
}

// One of them.
inline GemmProblem product_of(const GemmProblem& batch, std::int64_t index) {
  GemmProblem one = batch;
  one.batch = 1;
  for (tile::device::Matrix* matrix : {&one.a, &one.b, &one.d})
    matrix->data = static_cast<const char*>(matrix->data) + 2 * index * matrix->batch_stride;
  return one;
}

// The recipe that the library takes for the product alone: it spreads over as many multiprocessors
// as it can.
inline PlannedRun plan_alone(const GemmProblem& product) {
  return [plan = tile::device::plan_gemm(product)](cudaStream_t stream) { plan.run(stream); };
}

// A recipe for products that share the chip: none of them has to fill it alone, so tiles are the
// largest, which read the least. Where there is no wgmma, the library's choice.
inline PlannedRun plan_to_share(const GemmProblem& product) {
  if (tile::device::current_machine().architecture / 10 != 9) return plan_alone(product);
  return
      [plan = tile::device::plan_gemm(product, {"cooperative_128x256", {.raster = {.group = 1}}})](
          cudaStream_t stream) { plan.run(stream); };
}

template <class Plan>
std::vector<PlannedRun> plan_each(const lab::Launch& launch, const Plan& plan) {
  const GemmProblem batch = batch_of(launch);
  std::vector<PlannedRun> runs;
  for (std::int64_t index = 0; index < batch.batch; ++index)
    runs.push_back(plan(product_of(batch, index)));
  return runs;
}

// Product i on stream i % count.
inline void run_side_by_side(const std::vector<PlannedRun>& runs, const SideStreams& streams,
                             cudaStream_t stream) {
  streams.fork(stream);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const lab::Range range("product");
    runs[i](streams[static_cast<int>(i) % streams.count()]);
  }
  streams.join(stream);
}

}  // namespace aisp::ch11::products
