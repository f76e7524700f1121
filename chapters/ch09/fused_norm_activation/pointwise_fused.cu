// The three elementwise operators share one kernel; the norm, a reduction, still stands apart.
#include "chapters/ch09/fused_norm_activation/launch.hpp"
#include "chapters/ch09/fused_norm_activation/norm_activation.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    rmsnorm_before_pointwise(const uint4* __restrict__ x, uint4* __restrict__ y, int vectors) {
  __shared__ float partials[ch09::most_warps];
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  ch09::normalise_row(x + first, y + first, vectors, partials);
}

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    gain_silu_residual(const uint4* __restrict__ x, const uint4* __restrict__ gain,
                       const uint4* __restrict__ residual, uint4* __restrict__ y, int vectors) {
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  const ch09::RowPart part = ch09::load_row(x + first, vectors);
  const ch09::RowPart other = ch09::load_row(residual + first, vectors);
  ch09::store_row(y + first, vectors, [&](int j, int v) {
    return ch09::zip(part.at[j], gain[v], other.at[j],
                     [](float a, float g, float r) { return ch09::silu(a * g) + r; });
  });
}

namespace {

using namespace ch09;

lab::Run prepare(lab::Setup& setup) {
  const auto bytes = static_cast<std::size_t>(setup.problem().outputs.at(0).tensor.bytes());
  auto* spare = static_cast<uint4*>(setup.scratch(bytes));
  return [spare](const lab::Launch& launch) {
    const auto [rows, threads, vectors] = row_grid(launch);
    const auto stream = launch.stream;
    rmsnorm_before_pointwise<<<rows, threads, 0, stream>>>(launch.in<uint4>(0), spare, vectors);
    lab::check_cuda(cudaGetLastError(), "fused_norm_activation rmsnorm_before_pointwise");
    gain_silu_residual<<<rows, threads, 0, stream>>>(
        spare, launch.in<uint4>(1), launch.in<uint4>(2), launch.out<uint4>(0), vectors);
    lab::check_cuda(cudaGetLastError(), "fused_norm_activation gain_silu_residual");
  };
}

const lab::RungEntry entry{"ch09:fused_norm_activation",
                           {.name = "pointwise_fused",
                            .step = 1,
                            .builds_on = "four_kernels",
                            .idea = "gain, SiLU and residual in one kernel",
                            .look_at = "two launches, 10 bytes moved per element",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = prepare}};

}  // namespace
