// hazard: bulk-wait, global-race
// Two threads load the same bytes of global memory in bulk, with one mbarrier and in one phase. The
// first wrote them and fenced; nothing orders that write before the second thread's copy.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 4, bytes = count * sizeof(int);

template <bool fixed>
__global__ void load_twice(int* source, int* out) {
  __shared__ alignas(128) int first[count], second[count];
  __shared__ std::uint64_t full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&full, 2);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < count; ++i) source[i] = i + 1;
    ptx::fence_async_global();
    ptx::mbarrier_arrive_expect(&full, bytes);
    ptx::bulk_load(first, source, bytes, &full);
  }
  if constexpr (fixed) __syncthreads();
  if (threadIdx.x == 32) {
    ptx::mbarrier_arrive_expect(&full, bytes);
    ptx::bulk_load(second, source, bytes, &full);
  }
  ptx::mbarrier_wait(&full, 0);
  if (threadIdx.x < count) out[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

template <bool fixed>
bool run() {
  const hazard::Array<int> source(count), out(count);
  load_twice<fixed><<<1, 64>>>(source.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return 2 * (i + 1); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
