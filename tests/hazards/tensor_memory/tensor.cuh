// What the programs of this folder share: a block of four warps, operands of ones in shared memory,
// and products of 128 x 32 x 16 whose sums are 16 times the value of A.
#pragma once

#include "tests/hazards/hazard.hpp"
#include "tests/programs/blackwell/blackwell.cuh"

namespace tensor {

using namespace blackwell;

constexpr int threads = 128, n = 32, columns = 64, other = 32;  // `other`: a second accumulator
constexpr float sum = 16;
constexpr std::uint32_t shape = bf16_product(128, n), ones = 0x3f803f80u;  // two bf16

struct alignas(128) Operands {
  uint4 a[128 * 2], b[n * 2];
};
struct Shared {
  Operands stage[2];           // A is 1 in the first, 2 in the second
  std::uint64_t done, token;   // for commits, for threads
  std::uint32_t base, second;  // of tensor memory
};

__device__ inline int warp() { return static_cast<int>(threadIdx.x / 32); }
__device__ inline bool one() { return threadIdx.x == 0; }  // that issues
__device__ inline void fill(Operands& to, std::uint32_t a) {
  for (int i = static_cast<int>(threadIdx.x); i < 128 * 2; i += threads)
    to.a[i] = make_uint4(a, a, a, a);
  for (int i = static_cast<int>(threadIdx.x); i < n * 2; i += threads)
    to.b[i] = make_uint4(ones, ones, ones, ones);
}
// Core matrices of 8 rows of 16 bytes below each other, the second half of K behind all rows.
__device__ inline std::uint64_t matrix(const void* at, int rows) {
  return (shared_address(at) & 0x3ffff) >> 4 | static_cast<std::uint64_t>(rows) << 16 |
         std::uint64_t{128 / 16} << 32 | std::uint64_t{1} << 46;
}
// Rows of 64 bytes with the 64-byte swizzle, whose pattern is eight of them. Rows that are alike
// lie the same way in all of its lines.
constexpr int pattern_bytes = 8 * 64;
__device__ inline std::uint64_t swizzled_matrix(const void* at, std::uint32_t base_offset) {
  return (shared_address(at) & 0x3ffff) >> 4 | std::uint64_t{pattern_bytes / 16} << 32 |
         std::uint64_t{1} << 46 | std::uint64_t{base_offset} << 49 | std::uint64_t{4} << 61;
}
template <int group = 1>
__device__ void product(std::uint32_t d, const Operands& from, bool accumulate = false) {
  multiply<group>(d, matrix(from.a, 128), matrix(from.b, n / group),
                  group == 1 ? shape : bf16_product(256, n), accumulate);
}
__device__ inline void product_of(std::uint32_t d, std::uint32_t a, const Operands& from) {
  multiply_from(d, a, matrix(from.b, n), shape, false);
}
// 32 rows of 16 bytes into four columns of every quarter.
__device__ inline void copy_rows(std::uint32_t to, const void* from) {
  asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to),
               "l"(describe_rows(shared_address(from)))
               : "memory");
}

struct Row {
  std::uint32_t values[8];
};
__device__ inline std::uint32_t quarter(std::uint32_t at) { return at + (warp() * 32 << 16); }
__device__ inline Row load(std::uint32_t from) {
  Row row;
  load_columns(row.values, quarter(from));
  return row;
}
__device__ inline void store(std::uint32_t to, std::uint32_t value) {
  Row row;
  for (std::uint32_t& one : row.values) one = value;
  store_columns(quarter(to), row.values);
}
__device__ inline void put(float* out, const Row& row) {
  out[blockIdx.x * threads + threadIdx.x] = __uint_as_float(row.values[0]);
}

__device__ inline void commit_done(Shared& shared) { commit<1>(shared_address(&shared.done)); }
__device__ inline void wait_done(Shared& shared, int parity = 0) {
  barrier_wait(shared_address(&shared.done), static_cast<std::uint32_t>(parity));
  __syncwarp();
}
__device__ inline void arrive_token(Shared& shared) {
  barrier_arrive(shared_address(&shared.token));
}
__device__ inline void wait_token(Shared& shared, int parity = 0) {
  barrier_wait(shared_address(&shared.token), static_cast<std::uint32_t>(parity));
}
__device__ inline void arrive_relaxed(Shared& shared) {
  asm volatile(
      "mbarrier.arrive.relaxed.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(&shared.token))
      : "memory");
}
__device__ inline void wait_relaxed(const std::uint64_t& barrier, int parity = 0) {
  asm volatile(
      "{ .reg .pred done; again:"
      " mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64 done, [%0], %1;"
      " @!done bra again; }" ::"r"(shared_address(&barrier)),
      "r"(parity)
      : "memory");
}
template <int group = 1>
__device__ void free_columns(std::uint32_t base, int count = columns) {
  if constexpr (group == 1)
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(base), "r"(count));
  else
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(base), "r"(count));
}

__device__ inline void prepare(Shared& shared, int arrivals = threads) {
  if (one()) {
    barrier_init(shared_address(&shared.done), 1);
    barrier_init(shared_address(&shared.token), arrivals);
    barrier_init_fence();
  }
  fill(shared.stage[0], ones);
  fill(shared.stage[1], 0x40004000u);
  fence_for_async();
}
// Everything ready for a product; the columns begin where the result says.
__device__ inline std::uint32_t start(Shared& shared, int arrivals = threads) {
  prepare(shared, arrivals);
  if (warp() == 0) allocate<1>(shared_address(&shared.base), columns);
  __syncthreads();
  return shared.base;
}
__device__ inline std::uint32_t start_pair(Shared& shared) {
  prepare(shared);
  cluster_sync();
  if (warp() == 0) allocate<2>(shared_address(&shared.base), columns);
  cluster_sync();
  return shared.base;
}
__device__ inline void finish(std::uint32_t base) {
  __syncthreads();
  if (warp() == 0) free_columns(base);
}

// Every thread of the first four warps of a cluster puts out `want`; all clusters in the same
// place.
inline bool run(void (*kernel)(float*), float want, int cluster = 1, int block = threads,
                int clusters = 1) {
  const hazard::Array<float> out(static_cast<std::size_t>(cluster) * threads);
  cudaLaunchAttribute shape_of{};
  shape_of.id = cudaLaunchAttributeClusterDimension;
  shape_of.val.clusterDim = {static_cast<unsigned>(cluster), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(cluster * clusters));
  config.blockDim = dim3(static_cast<unsigned>(block));
  config.attrs = &shape_of;
  config.numAttrs = 1;
  hazard::require(cudaLaunchKernelEx(&config, kernel, out.get()), "launch");
  hazard::finish();
  return out.holds([&](int) { return want; });
}

}  // namespace tensor
