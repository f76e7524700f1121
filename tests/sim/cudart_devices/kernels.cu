#include "tests/sim/cudart_devices/kernels.hpp"

__device__ int mark = 7;
__managed__ int shared_by_all = 100;

__global__ void add_kernel(int* to, const int* from, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] += from[i];
}

__global__ void fill_with_mark_kernel(int* to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) to[i] = mark;
}

// TMA, which is no lane of a warp.
__global__ void copy_in_bulk_kernel(char* to, const char* from) {
#if __CUDA_ARCH__ >= 900
  __shared__ alignas(128) char buffer[64];
  __shared__ alignas(8) unsigned long long arrived;
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(buffer));
  const auto barrier = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.proxy.async;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 64;" ::"r"(barrier) : "memory");
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 64, [%2];" ::
          "r"(place),
      "l"(from), "r"(barrier)
      : "memory");
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, "
        "p; }"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  for (int i = 0; i < 64; ++i) to[i] = buffer[i];
#endif
}

__global__ void large_shared_kernel(int* to) {
  extern __shared__ int scratch[];
  scratch[threadIdx.x] = 1;
  to[0] = scratch[threadIdx.x];
}

__global__ void count_up_kernel() { ++shared_by_all; }

namespace kernels {

const void* add() { return reinterpret_cast<const void*>(add_kernel); }
const void* fill_with_mark() { return reinterpret_cast<const void*>(fill_with_mark_kernel); }
const void* copy_in_bulk() { return reinterpret_cast<const void*>(copy_in_bulk_kernel); }
const void* large_shared() { return reinterpret_cast<const void*>(large_shared_kernel); }
const void* count_up() { return reinterpret_cast<const void*>(count_up_kernel); }
const void* mark_variable() { return &mark; }
int& managed_variable() { return shared_by_all; }

}  // namespace kernels
