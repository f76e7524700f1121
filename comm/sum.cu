#include <algorithm>

#include "comm/cuda.hpp"
#include "comm/sum.hpp"

namespace aisp::comm {
namespace {

constexpr int threads = 256;
constexpr int vector_bytes = 16;
constexpr int vectors_per_thread = 4;  // as many loads of 16 bytes are under way, twice

struct F32 {
  using Bits = float;
  static __device__ float add(float a, float b) { return a + b; }
};

// Two bytes of a float each; the sum is rounded to the nearest, ties to even. A NaN stays one.
struct Bf16 {
  using Bits = unsigned short;
  static __device__ float widen(Bits bits) { return __uint_as_float(unsigned{bits} << 16); }
  static __device__ Bits add(Bits a, Bits b) {
    const float sum = widen(a) + widen(b);
    const unsigned bits = __float_as_uint(sum);
    if (sum != sum) return static_cast<Bits>(bits >> 16 | 0x40u);
    return static_cast<Bits>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
};

template <class Type>
struct alignas(vector_bytes) Vector {
  typename Type::Bits element[vector_bytes / sizeof(typename Type::Bits)];
};

template <class Type>
__device__ void sum_body(typename Type::Bits* to, const typename Type::Bits* a,
                         const typename Type::Bits* b, std::int64_t count, bool aligned) {
  using Vec = Vector<Type>;
  constexpr int width = sizeof(Vec) / sizeof(typename Type::Bits);
  const std::int64_t vectors = aligned ? count / width : 0;
  const std::int64_t thread = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  const std::int64_t all = std::int64_t{gridDim.x} * threads;
  for (std::int64_t first = thread; first < vectors; first += vectors_per_thread * all) {
    Vec left[vectors_per_thread], right[vectors_per_thread];
#pragma unroll
    for (int v = 0; v < vectors_per_thread; ++v) {
      const std::int64_t i = first + v * all;
      if (i >= vectors) continue;
      left[v] = reinterpret_cast<const Vec*>(a)[i];
      right[v] = reinterpret_cast<const Vec*>(b)[i];
    }
#pragma unroll
    for (int v = 0; v < vectors_per_thread; ++v) {
      const std::int64_t i = first + v * all;
      if (i >= vectors) continue;
#pragma unroll
      for (int e = 0; e < width; ++e)
        left[v].element[e] = Type::add(left[v].element[e], right[v].element[e]);
      reinterpret_cast<Vec*>(to)[i] = left[v];
    }
  }
  for (std::int64_t i = vectors * width + thread; i < count; i += all)
    to[i] = Type::add(a[i], b[i]);
}

__global__ void __launch_bounds__(threads)
    sum_f32(float* to, const float* a, const float* b, std::int64_t count, bool aligned) {
  sum_body<F32>(to, a, b, count, aligned);
}

__global__ void __launch_bounds__(threads)
    sum_bf16(unsigned short* to, const unsigned short* a, const unsigned short* b,
             std::int64_t count, bool aligned) {
  sum_body<Bf16>(to, a, b, count, aligned);
}

bool is_aligned(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % vector_bytes == 0;
}

template <class Bits>
void launch(void (*kernel)(Bits*, const Bits*, const Bits*, std::int64_t, bool), void* to,
            const void* a, const void* b, std::int64_t count, cudaStream_t stream) {
  const std::int64_t per_block =
      std::int64_t{threads} * vectors_per_thread * (vector_bytes / sizeof(Bits));
  // More blocks than this wait for a place anyway; the loop takes the rest.
  const auto blocks = std::min<std::int64_t>((count + per_block - 1) / per_block, 1024);
  kernel<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(
      static_cast<Bits*>(to), static_cast<const Bits*>(a), static_cast<const Bits*>(b), count,
      is_aligned(to) && is_aligned(a) && is_aligned(b));
  check(cudaGetLastError(), "reduction of the peer ring");
}

}  // namespace

void enqueue_sum(Dtype type, void* to, const void* a, const void* b, std::int64_t count,
                 cudaStream_t stream) {
  if (count < 1) return;
  if (type == Dtype::f32)
    launch(sum_f32, to, a, b, count, stream);
  else
    launch(sum_bf16, to, a, b, count, stream);
}

}  // namespace aisp::comm
