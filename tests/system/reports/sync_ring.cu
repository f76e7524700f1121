// A producer warp that fills a ring of two with bulk copies, and two warps that read it:
// `report_sync_ring [nothing|plain|hang]`. With "hang" the producer expects bytes that never come.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

namespace {

constexpr int stages = 2, values = 64, rounds = 5;

__device__ std::uint32_t address(const void* shared) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}

__device__ void init(std::uint64_t& barrier, int count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(&barrier)), "r"(count)
               : "memory");
}

__device__ void arrive(std::uint64_t& barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(&barrier)) : "memory");
}

__device__ void expect(std::uint64_t& barrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&barrier)),
               "r"(bytes)
               : "memory");
}

__device__ void wait(std::uint64_t& barrier, int parity) {
  std::uint32_t done = 0;
  while (done == 0)
    asm volatile(
        "{ .reg .pred done; mbarrier.try_wait.parity.shared::cta.b64 done, [%1], %2; "
        "selp.u32 %0, 1, 0, done; }"
        : "=r"(done)
        : "r"(address(&barrier)), "r"(parity)
        : "memory");
}

__device__ void copy(void* to, const void* from, int bytes, std::uint64_t& barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(address(to)),
      "l"(from), "r"(bytes), "r"(address(&barrier))
      : "memory");
}

__global__ void ring(const int* in, int* out, int expected) {
  __shared__ alignas(16) int data[stages][values];
  __shared__ std::uint64_t full[stages], empty[stages];
  const int warp = static_cast<int>(threadIdx.x) / 32, own = static_cast<int>(threadIdx.x) - 32;
  if (threadIdx.x == 0)
    for (int stage = 0; stage < stages; ++stage) {
      init(full[stage], 1);
      init(empty[stage], values);
    }
  __syncthreads();
  if (warp > 0) {
    int sum = 0;
    for (int i = 0; i < rounds; ++i) {
      wait(full[i % stages], i / stages % 2);
      sum += data[i % stages][own];
      arrive(empty[i % stages]);
    }
    out[own] = sum;
  } else if (threadIdx.x == 0) {
    for (int i = 0; i < rounds; ++i) {
      wait(empty[i % stages], i / stages % 2 ^ 1);
      expect(full[i % stages], expected);
      copy(data[i % stages], in + i * values, values * sizeof(int), full[i % stages]);
    }
  }
}

__global__ void plain(int* out) { out[threadIdx.x] = 1; }

}  // namespace

int main(int count, char** words) {
  const char* const asked = count > 1 ? words[1] : "";
  int *in = nullptr, *out = nullptr;
  cudaMalloc(&in, rounds * values * sizeof(int));
  cudaMalloc(&out, values * sizeof(int));
  cudaMemset(in, 0, rounds * values * sizeof(int));
  const int bytes = values * static_cast<int>(sizeof(int));
  if (std::strcmp(asked, "nothing") != 0) plain<<<1, values>>>(out);
  if (std::strcmp(asked, "nothing") != 0 && std::strcmp(asked, "plain") != 0)
    ring<<<3, 96>>>(in, out, std::strcmp(asked, "hang") == 0 ? 2 * bytes : bytes);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
