// One kernel: the row waits in registers while the block reduces it, and so does its residual,
// whose loads are in flight during the reduction. The gain row is the only reused data and stays in
// L1, because the streams bypass it.
#include "chapters/ch09/fused_norm_activation/launch.hpp"
#include "chapters/ch09/fused_norm_activation/norm_activation.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    norm_gain_silu_residual(const uint4* __restrict__ x, const uint4* __restrict__ gain,
                            const uint4* __restrict__ residual, uint4* __restrict__ y,
                            int vectors) {
  __shared__ float partials[ch09::most_warps];
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  const ch09::RowPart part = ch09::load_row(x + first, vectors);
  const ch09::RowPart other = ch09::load_row(residual + first, vectors);
  const float scale = ch09::inverse_rms(part, vectors, partials);
  ch09::store_row(y + first, vectors, [&](int j, int v) {
    return ch09::zip(part.at[j], gain[v], other.at[j],
                     [&](float a, float g, float r) { return ch09::silu(a * scale * g) + r; });
  });
}

namespace {

using namespace ch09;

void run(const lab::Launch& launch) {
  const auto [rows, threads, vectors] = row_grid(launch);
  norm_gain_silu_residual<<<rows, threads, 0, launch.stream>>>(
      launch.in<uint4>(0), launch.in<uint4>(1), launch.in<uint4>(2), launch.out<uint4>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "fused_norm_activation one_kernel");
}

const lab::RungEntry entry{
    "ch09:fused_norm_activation",
    {.name = "one_kernel",
     .step = 2,
     .builds_on = "pointwise_fused",
     .idea = "reduction and elementwise work in one kernel, row in registers",
     .look_at = "one launch; eight loads per thread before the reduction",
     .needs = lab::Needs::sm_80,
     .peer = false,
     .variants = {},
     .prepare = lab::plain(run)}};

}  // namespace
