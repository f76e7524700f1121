// Eight elements per thread and step: 32 (f32) or 16 (bf16) bytes in, 16 (bf16) or 8 (e4m3) out.
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

template <class In, bool quantise>
__global__ void __launch_bounds__(threads)
    epilogue_pass(const __grid_constant__ EpiloguePass pass) {
  using Out = std::conditional_t<quantise, __nv_fp8_e4m3, __nv_bfloat16>;
  constexpr bool writes_aux = quantise && std::is_same_v<In, float>;
  const float scale = quantise ? *pass.scale : 1.0f;
  const std::int64_t step = std::int64_t{gridDim.x} * threads;
  float most = 0.0f;
  for (std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x; i < pass.count / at_once;
       i += step) {
    const Vector<In> v = static_cast<const Vector<In>*>(pass.v)[i];
    Vector<Out> d;
    Vector<__nv_bfloat16> aux;
    for (int j = 0; j < at_once; ++j) {
      const float activated = silu(float(v.values[j]));
      most = fmaxf(most, fabsf(activated));
      d.values[j] = Out(scale * activated);
      aux.values[j] = __nv_bfloat16(v.values[j]);
    }
    static_cast<Vector<Out>*>(pass.d)[i] = d;
    if constexpr (writes_aux) static_cast<Vector<__nv_bfloat16>*>(pass.aux)[i] = aux;
  }
  raise(pass.amax, most);
}

__global__ void __launch_bounds__(threads)
    to_bf16(const float* __restrict__ from, __nv_bfloat16* __restrict__ to, std::int64_t count) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i < count) to[i] = __nv_bfloat16(from[i]);
}

template <class In>
void launch_pass(const EpiloguePass& pass, int blocks, cudaStream_t stream) {
  if (pass.scale != nullptr)
    epilogue_pass<In, true><<<blocks, threads, 0, stream>>>(pass);
  else
    epilogue_pass<In, false><<<blocks, threads, 0, stream>>>(pass);
  lab::check_cuda(cudaGetLastError(), "epilogue_pass");
}

}  // namespace

void enqueue(const EpiloguePass& pass, int multiprocessors, cudaStream_t stream) {
  lab::check_cuda(cudaMemsetAsync(pass.amax, 0, sizeof *pass.amax, stream), "cudaMemsetAsync");
  constexpr int blocks_per_multiprocessor = 8;  // 2048 threads
  const int blocks = blocks_per_multiprocessor * multiprocessors;
  if (pass.v_is_bf16)
    launch_pass<__nv_bfloat16>(pass, blocks, stream);
  else
    launch_pass<float>(pass, blocks, stream);
}

void enqueue_to_bf16(const float* from, void* to, std::int64_t count, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((count + threads - 1) / threads);
  to_bf16<<<blocks, threads, 0, stream>>>(from, static_cast<__nv_bfloat16*>(to), count);
  lab::check_cuda(cudaGetLastError(), "to_bf16");
}

}  // namespace aisp::peers
