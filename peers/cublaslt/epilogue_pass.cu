// Eight elements per thread and step: 32 bytes in, 16 (bf16) or 8 (e4m3) out.
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include "lab/case/rung.hpp"
#include "peers/cublaslt/epilogue_pass.hpp"

namespace aisp::peers {
namespace {

constexpr int threads = 256, at_once = 8;

template <class Element>
struct alignas(at_once * sizeof(Element)) Vector {
  Element values[at_once];
};

__device__ float silu(float v) { return v / (1.0f + __expf(-v)); }

// Floats that are not negative order like their bits.
__device__ void raise(float* most, float value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, distance));
  if (threadIdx.x % 32 == 0) atomicMax(reinterpret_cast<int*>(most), __float_as_int(value));
}

template <bool quantise>
__global__ void __launch_bounds__(threads)
    epilogue_pass(const __grid_constant__ EpiloguePass pass) {
  using Out = std::conditional_t<quantise, __nv_fp8_e4m3, __nv_bfloat16>;
  const float scale = quantise ? *pass.scale : 1.0f;
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  float most = 0.0f;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < pass.count / at_once;
       i += step) {
    const float4* from = reinterpret_cast<const float4*>(pass.v) + 2 * i;
    const float4 low = from[0], high = from[1];
    const float v[at_once] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
    Vector<Out> d;
    Vector<__nv_bfloat16> aux;
    for (int j = 0; j < at_once; ++j) {
      const float activated = silu(v[j]);
      most = fmaxf(most, fabsf(activated));
      d.values[j] = Out(scale * activated);
      aux.values[j] = __nv_bfloat16(v[j]);
    }
    reinterpret_cast<Vector<Out>*>(pass.d)[i] = d;
    if constexpr (quantise) reinterpret_cast<Vector<__nv_bfloat16>*>(pass.aux)[i] = aux;
  }
  raise(pass.amax, most);
}

}  // namespace

void enqueue(const EpiloguePass& pass, int multiprocessors, cudaStream_t stream) {
  lab::check_cuda(cudaMemsetAsync(pass.amax, 0, sizeof *pass.amax, stream), "cudaMemsetAsync");
  constexpr int blocks_per_multiprocessor = 8;  // 2048 threads
  const int blocks = blocks_per_multiprocessor * multiprocessors;
  if (pass.scale != nullptr)
    epilogue_pass<true><<<blocks, threads, 0, stream>>>(pass);
  else
    epilogue_pass<false><<<blocks, threads, 0, stream>>>(pass);
  lab::check_cuda(cudaGetLastError(), "epilogue_pass");
}

}  // namespace aisp::peers
