// Four kernels, one per operator, with bf16 tensors between them: what a framework runs when each
// operator is called by itself. Each kernel alone reads and writes at memory speed.
#include "chapters/ch09/fused_norm_activation/launch.hpp"
#include "chapters/ch09/fused_norm_activation/norm_activation.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    rmsnorm_rows(const uint4* __restrict__ x, uint4* __restrict__ y, int vectors) {
  __shared__ float partials[ch09::most_warps];
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  ch09::normalise_row(x + first, y + first, vectors, partials);
}

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    gain_rows(const uint4* __restrict__ x, const uint4* __restrict__ gain, uint4* __restrict__ y,
              int vectors) {
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  const ch09::RowPart part = ch09::load_row(x + first, vectors);
  ch09::store_row(y + first, vectors, [&](int j, int v) {
    return ch09::zip(part.at[j], gain[v], [](float a, float g) { return a * g; });
  });
}

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    silu_rows(const uint4* __restrict__ x, uint4* __restrict__ y, int vectors) {
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  const ch09::RowPart part = ch09::load_row(x + first, vectors);
  ch09::store_row(y + first, vectors, [&](int j, int) {
    return ch09::map(part.at[j], [](float a) { return ch09::silu(a); });
  });
}

extern "C" __global__ void __launch_bounds__(ch09::most_threads)
    residual_rows(const uint4* __restrict__ x, const uint4* __restrict__ residual,
                  uint4* __restrict__ y, int vectors) {
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  const ch09::RowPart part = ch09::load_row(x + first, vectors);
  const ch09::RowPart other = ch09::load_row(residual + first, vectors);
  ch09::store_row(y + first, vectors,
                  [&](int j, int) { return ch09::zip(part.at[j], other.at[j], ch09::Add{}); });
}

namespace {

using namespace ch09;

lab::Run prepare(lab::Setup& setup) {
  const auto bytes = static_cast<std::size_t>(setup.problem().outputs.at(0).tensor.bytes());
  auto* spare = static_cast<uint4*>(setup.scratch(bytes));
  return [spare](const lab::Launch& launch) {
    const auto [rows, threads, vectors] = row_grid(launch);
    const auto stream = launch.stream;
    auto* out = launch.out<uint4>(0);
    rmsnorm_rows<<<rows, threads, 0, stream>>>(launch.in<uint4>(0), spare, vectors);
    lab::check_cuda(cudaGetLastError(), "fused_norm_activation rmsnorm_rows");
    gain_rows<<<rows, threads, 0, stream>>>(spare, launch.in<uint4>(1), out, vectors);
    lab::check_cuda(cudaGetLastError(), "fused_norm_activation gain_rows");
    silu_rows<<<rows, threads, 0, stream>>>(out, spare, vectors);
    lab::check_cuda(cudaGetLastError(), "fused_norm_activation silu_rows");
    residual_rows<<<rows, threads, 0, stream>>>(spare, launch.in<uint4>(2), out, vectors);
    lab::check_cuda(cudaGetLastError(), "fused_norm_activation residual_rows");
  };
}

const lab::RungEntry entry{"ch09:fused_norm_activation",
                           {.name = "four_kernels",
                            .step = 0,
                            .builds_on = "",
                            .idea = "norm, gain, SiLU and residual apart, bf16 between them",
                            .look_at = "18 bytes moved per element where 6 are needed",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = prepare}};

}  // namespace
