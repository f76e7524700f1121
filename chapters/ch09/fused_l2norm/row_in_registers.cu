// The row stays in registers: one read, one write, and 64 bytes in flight per thread before the
// reduction starts.
#include "chapters/ch09/common/row.cuh"
#include "chapters/ch09/fused_l2norm/dispatch.hpp"
#include "chapters/ch09/fused_l2norm/scaled_sum.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace aisp::ch09 {

template <class T>
__global__ void __launch_bounds__(most_threads)
    l2norm_row_in_registers(const uint4* __restrict__ x, uint4* __restrict__ y, int vectors) {
  __shared__ ScaledSum partials[most_warps];
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  const RowPart part = load_row(x + first, vectors);
  const RowScale row =
      row_scale(block_reduce(sum_of_squares<T>(part.at), empty_sum(), partials, CombineSums{}));
  store_row(y + first, vectors, [&](int j, int) { return scaled<T>(part.at[j], row); });
}

}  // namespace aisp::ch09

namespace {

using namespace ch09;

template <class T>
void run(const lab::Launch& launch) {
  const int vectors = row_vectors(launch);
  l2norm_row_in_registers<T>
      <<<blocks_for(launch.dim(0), 1), row_threads(vectors), 0, launch.stream>>>(
          launch.in<uint4>(0), launch.out<uint4>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "fused_l2norm row_in_registers");
}

const lab::RungEntry entry{
    "ch09:fused_l2norm",
    {.name = "row_in_registers",
     .step = 2,
     .builds_on = "one_kernel",
     .idea = "the row is held in registers between the sum and the scaling",
     .look_at = "each thread's four loads stand before the reduction, no second read",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .prepare = lab::plain([](const lab::Launch& launch) {
       is_bf16(launch) ? run<Bf16>(launch) : run<float>(launch);
     })}};

}  // namespace
