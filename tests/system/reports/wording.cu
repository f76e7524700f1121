// Kernels with one mistake each, by name: `report_wording CASE`.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace {

constexpr int threads = 128;

__device__ std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}
__device__ void mbarrier_init(std::uint64_t* bar, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(bar)), "r"(count)
               : "memory");
}
__device__ void fence_init() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }
__device__ void expect(std::uint64_t* bar, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(bar)),
               "r"(bytes)
               : "memory");
}
__device__ void wait(std::uint64_t* bar, int parity) {
  asm volatile(
      "{ .reg .pred p;\n again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
      " @!p bra again; }" ::"r"(shared_address(bar)),
      "r"(parity)
      : "memory");
}
__device__ void load(void* to, const void* from, int bytes, std::uint64_t* bar) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(bar))
      : "memory");
}
__device__ void store(void* to, const void* from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(shared_address(from)), "r"(bytes)
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// The first pair that is seen lies within a warp, the barrier that is missing is the block's.
__global__ void missing_block_barrier(int* out) {
  __shared__ int tile[threads];
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = t;
  out[t] = tile[t ^ 1] + tile[(t + 32) % threads];
}

// One instruction, whose lanes read from their own warp and from the next.
__global__ void missing_block_barrier_in_one(int* out) {
  __shared__ int tile[threads];
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = t;
  out[t] = tile[(t + 1) % threads];
}

__global__ void missing_warp_barrier(int* out) {
  __shared__ int tile[threads];
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = t;
  out[t] = tile[t ^ 1];
}

// Offset 0 is written by lane 0 and read by lane 8.
__global__ void exchange(int* out) {
  __shared__ int tile[32];
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = t;
  __syncwarp();
  tile[t] += tile[t ^ 8];
  __syncwarp();
  out[t] = tile[t];
}

__global__ void refill(const int* in, int* out) {
  __shared__ alignas(128) int slot[2][32];
  __shared__ std::uint64_t full[2];
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) {
    mbarrier_init(&full[0], 1);
    mbarrier_init(&full[1], 1);
    fence_init();
  }
  __syncthreads();
  for (int step = 0; step < 4; ++step) {
    if (t == 0) {
      expect(&full[step % 2], 128);
      load(slot[step % 2], in + 32 * step, 128, &full[step % 2]);
    } else if (t >= 32) {
      wait(&full[step % 2], step / 2 % 2);
      out[32 * step + t - 32] = slot[step % 2][t - 32];
    }
  }
}

__global__ void too_many_bytes(const int* in, int* out) {
  __shared__ alignas(128) int tile[64];
  __shared__ std::uint64_t full;
  const int t = static_cast<int>(threadIdx.x);
  if (t == 0) {
    mbarrier_init(&full, 2);
    fence_init();
    expect(&full, 128);
    load(tile, in, 256, &full);
  }
  __syncthreads();
  if (t == 0) expect(&full, 0);
  wait(&full, 0);
  out[t] = tile[t];
}

__global__ void never_arrives(int* out) {
  if (threadIdx.x < 96) asm volatile("bar.sync 1, 128;" ::: "memory");
  out[threadIdx.x] = 1;
}

// Many stores, no fence, many bulk stores that read them.
__global__ void unrolled(int* out) {
  __shared__ alignas(128) int tile[threads * 16];
  const int t = static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < 16; ++i) tile[i * threads + t] = i;
  __syncthreads();
  if (t == 0) {
#pragma unroll
    for (int i = 0; i < 16; ++i) store(out + i * threads, tile + i * threads, threads * 4);
  }
}

// Two barriers are missing, in two places.
__global__ void two_causes(int* out) {
  __shared__ int tile[threads], other[threads];
  const int t = static_cast<int>(threadIdx.x);
  tile[t] = t;
  out[t] = tile[(t + 32) % threads];
  __syncthreads();
  other[t] = t;
  out[t] += other[(t + 64) % threads];
}

// Every lane stores the same bytes to the same place; or each bytes of its own.
__global__ void everybody_stores(int* out, bool same) {
  __shared__ alignas(128) int tile[32][32];
  const int t = static_cast<int>(threadIdx.x);
  for (int i = 0; i < 32; ++i) tile[t][i] = same ? i : t * 32 + i;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncwarp();
  store(out, same ? tile[0] : tile[t], 128);
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 1 << 16);
  cudaMalloc(&out, 1 << 16);
  cudaMemset(in, 0, 1 << 16);
  if (what == "missing_block_barrier") missing_block_barrier<<<1, threads>>>(out);
  if (what == "missing_block_barrier_in_one") missing_block_barrier_in_one<<<1, threads>>>(out);
  if (what == "missing_warp_barrier") missing_warp_barrier<<<1, threads>>>(out);
  if (what == "exchange") exchange<<<1, 32>>>(out);
  if (what == "refill") refill<<<1, 64>>>(in, out);
  if (what == "too_many_bytes") too_many_bytes<<<1, 64>>>(in, out);
  if (what == "never_arrives") never_arrives<<<4, threads>>>(out);
  if (what == "unrolled") unrolled<<<1, threads>>>(out);
  if (what == "two_causes") two_causes<<<1, threads>>>(out);
  if (what == "same_store") everybody_stores<<<1, 32>>>(out, true);
  if (what == "other_store") everybody_stores<<<1, 32>>>(out, false);
  const cudaError_t error = cudaDeviceSynchronize();
  cudaGetLastError();
  std::puts(cudaGetErrorName(error));
  return 0;
}
