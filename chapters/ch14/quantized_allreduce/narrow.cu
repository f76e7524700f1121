// Eight numbers of a thread: two accesses of 16 bytes in f32, one in bf16.
#include <algorithm>

#include "chapters/ch14/quantized_allreduce/narrow.hpp"
#include "lab/case/rung.hpp"
#include "tile/arch/convert.cuh"

namespace aisp::ch14 {
namespace {

constexpr int narrow_threads = 256, at_once = 8;

__device__ float wide(std::uint32_t bf16) { return __uint_as_float(bf16 << 16); }

// body(first) for every eight from a whole vector on, one(i) for the numbers behind them.
template <class Body, class One>
__device__ void eight_each(std::int64_t count, bool aligned, const Body& body, const One& one) {
  const std::int64_t thread = std::int64_t{blockIdx.x} * narrow_threads + threadIdx.x;
  const std::int64_t all = std::int64_t{gridDim.x} * narrow_threads;
  const std::int64_t vectors = aligned ? count / at_once : 0;
  for (std::int64_t at = thread; at < vectors; at += all) body(at * at_once);
  for (std::int64_t i = vectors * at_once + thread; i < count; i += all) one(i);
}

__global__ void __launch_bounds__(narrow_threads)
    to_bf16(unsigned short* to, const float* from, std::int64_t count, bool aligned) {
  eight_each(
      count, aligned,
      [&](std::int64_t first) {
        const auto* pair = reinterpret_cast<const float4*>(from + first);
        const float4 low = pair[0], high = pair[1];
        *reinterpret_cast<uint4*>(to + first) =
            uint4{tile::arch::pack_bf16(low.x, low.y), tile::arch::pack_bf16(low.z, low.w),
                  tile::arch::pack_bf16(high.x, high.y), tile::arch::pack_bf16(high.z, high.w)};
      },
      [&](std::int64_t i) {
        to[i] = static_cast<unsigned short>(tile::arch::pack_bf16(from[i], 0.0f));
      });
}

__global__ void __launch_bounds__(narrow_threads)
    from_bf16(float* to, const unsigned short* from, std::int64_t count, bool aligned) {
  eight_each(
      count, aligned,
      [&](std::int64_t first) {
        const uint4 narrow = *reinterpret_cast<const uint4*>(from + first);
        auto* pair = reinterpret_cast<float4*>(to + first);
        pair[0] = {wide(narrow.x), wide(narrow.x >> 16), wide(narrow.y), wide(narrow.y >> 16)};
        pair[1] = {wide(narrow.z), wide(narrow.z >> 16), wide(narrow.w), wide(narrow.w >> 16)};
      },
      [&](std::int64_t i) { to[i] = wide(from[i]); });
}

unsigned narrow_blocks(std::int64_t count) {
  constexpr std::int64_t per_block = narrow_threads * at_once;
  return static_cast<unsigned>(std::min<std::int64_t>((count + per_block - 1) / per_block, 4096));
}

bool in_vectors(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer) % sizeof(float4) == 0;
}

}  // namespace

void enqueue_to_bf16(void* to, const float* from, std::int64_t count, cudaStream_t stream) {
  to_bf16<<<narrow_blocks(count), narrow_threads, 0, stream>>>(static_cast<unsigned short*>(to),
                                                               from, count, in_vectors(from));
  lab::check_cuda(cudaGetLastError(), "to_bf16");
}

void enqueue_from_bf16(float* to, const void* from, std::int64_t count, cudaStream_t stream) {
  from_bf16<<<narrow_blocks(count), narrow_threads, 0, stream>>>(
      to, static_cast<const unsigned short*>(from), count, in_vectors(to));
  lab::check_cuda(cudaGetLastError(), "from_bf16");
}

}  // namespace aisp::ch14
