// Two kernels: the norm of every row, then the scaling of every element. x is read twice.
#include "chapters/ch09/fused_l2norm/dispatch.hpp"
#include "chapters/ch09/fused_l2norm/scaled_sum.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace aisp::ch09 {

template <class T>
__global__ void __launch_bounds__(walk_threads)
    l2norm_of_rows(const uint4* __restrict__ x, RowScale* __restrict__ scales, int vectors) {
  __shared__ ScaledSum partials[most_warps];
  const ScaledSum squares = row_sum<T>(x + std::int64_t{blockIdx.x} * vectors, vectors, partials);
  if (threadIdx.x == 0) scales[blockIdx.x] = row_scale(squares);
}

template <class T>
__global__ void __launch_bounds__(walk_threads)
    scale_rows(const uint4* __restrict__ x, const RowScale* __restrict__ scales,
               uint4* __restrict__ y, int vectors) {
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors;
  const RowScale row = scales[blockIdx.x];
#pragma unroll 4
  for (int v = static_cast<int>(threadIdx.x); v < vectors; v += walk_threads)
    y[first + v] = scaled<T>(x[first + v], row);
}

}  // namespace aisp::ch09

namespace {

using namespace ch09;

template <class T>
void run(const lab::Launch& launch, RowScale* scales) {
  const int vectors = row_vectors(launch);
  const unsigned rows = blocks_for(launch.dim(0), 1);
  const auto* x = launch.in<uint4>(0);
  l2norm_of_rows<T><<<rows, walk_threads, 0, launch.stream>>>(x, scales, vectors);
  lab::check_cuda(cudaGetLastError(), "fused_l2norm l2norm_of_rows");
  scale_rows<T><<<rows, walk_threads, 0, launch.stream>>>(x, scales, launch.out<uint4>(0), vectors);
  lab::check_cuda(cudaGetLastError(), "fused_l2norm scale_rows");
}

lab::Run prepare(lab::Setup& setup) {
  const auto rows = static_cast<std::size_t>(setup.problem().size.dims.at(0));
  auto* scales = static_cast<RowScale*>(setup.scratch(rows * sizeof(RowScale)));
  return [scales](const lab::Launch& launch) {
    is_bf16(launch) ? run<Bf16>(launch, scales) : run<float>(launch, scales);
  };
}

const lab::RungEntry entry{"ch09:fused_l2norm",
                           {.name = "norm_then_scale",
                            .step = 0,
                            .builds_on = "",
                            .idea = "a kernel for the row norms, a kernel for the scaling",
                            .look_at = "two launches; x read twice from memory",
                            .needs = lab::Needs::sm_80,
                            .peer = false,
                            .variants = {},
                            .prepare = prepare}};

}  // namespace
