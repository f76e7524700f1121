// Against the manual's rules, and never seen to go wrong: `report_formal CASE`.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <string>

namespace {

__device__ std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

// Four mbarriers without a fence, each used by a copy.
template <int number>
__global__ void init_without_fence(const int* in, int* out) {
  __shared__ alignas(128) int tile[4][32];
  __shared__ std::uint64_t full[4];
  if (threadIdx.x == 0)
    for (auto& bar : full)
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&bar)) : "memory");
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t bar = shared_address(&full[i]);
    if (threadIdx.x == 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 128;" ::"r"(bar) : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, "
          "[%2];" ::"r"(shared_address(tile[i])),
          "l"(in), "r"(bar)
          : "memory");
    }
    asm volatile(
        "{ .reg .pred p;\n again: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
        " @!p bra again; }" ::"r"(bar)
        : "memory");
    out[threadIdx.x] = tile[i][threadIdx.x] + number;
  }
}

__global__ void store_at_exit(int* out) {
  __shared__ alignas(128) int tile[32];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncwarp();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;" ::"l"(out),
                 "r"(shared_address(tile))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  }
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, 1 << 12);
  cudaMalloc(&out, 1 << 12);
  cudaMemset(in, 0, 1 << 12);
  if (what == "init" || what == "all") {
    init_without_fence<1><<<1, 32>>>(in, out);
    init_without_fence<2><<<1, 32>>>(in, out);
  }
  if (what == "store" || what == "all") store_at_exit<<<1, 32>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess) return 1;
  std::puts("done");
  return 0;
}
