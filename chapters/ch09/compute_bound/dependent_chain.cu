// Rung 0: one element per thread. Every multiply-add waits for the one before it; only other warps
// fill the gap. As in the other rungs all steps are written out, coefficients included.
#include "chapters/ch09/common/geometry.hpp"
#include "chapters/ch09/compute_bound/chains.cuh"
#include "lab/case/registry.hpp"

using namespace aisp;

namespace {

constexpr int block_threads = 256;

template <class Element>
__device__ void one_chain(const Element* x, Element* y, long long elements) {
  using Math = ch09::Arithmetic<Element>;
  constexpr ch09::CoefficientBits table = ch09::coefficient_bits<Element>;
  const long long at = blockIdx.x * static_cast<long long>(block_threads) + threadIdx.x;
  if (at >= elements) return;
  const Element point = x[at];
  Element value = Math::from(table.at[ch09::degree]);
#pragma unroll
  for (int i = ch09::degree - 1; i >= 0; --i)
    value = Math::multiply_add(value, point, Math::from(table.at[i]));
  y[at] = value;
}

__global__ void __launch_bounds__(block_threads)
    horner_dependent_f32(const float* x, float* y, long long elements) {
  one_chain(x, y, elements);
}

__global__ void __launch_bounds__(block_threads)
    horner_dependent_f16(const __half* x, __half* y, long long elements) {
  one_chain(x, y, elements);
}

void run(const lab::Launch& launch) {
  const auto elements = launch.dim(0);
  const auto blocks = ch09::blocks_for(elements, block_threads);
  if (launch.problem.inputs.at(0).dtype == lab::Dtype::f16)
    horner_dependent_f16<<<blocks, block_threads, 0, launch.stream>>>(
        launch.in<__half>(0), launch.out<__half>(0), elements);
  else
    horner_dependent_f32<<<blocks, block_threads, 0, launch.stream>>>(
        launch.in<float>(0), launch.out<float>(0), elements);
  lab::check_cuda(cudaGetLastError(), "horner_dependent");
}

const lab::RungEntry entry{"ch09:compute_bound",
                           {.name = "dependent_chain",
                            .step = 0,
                            .builds_on = "",
                            .idea = "one element per thread: a chain of dependent multiply-adds",
                            .look_at = "256 FFMA in a row, each waiting for the last",
                            .prepare = lab::plain(run)}};

}  // namespace
