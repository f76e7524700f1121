// hazard: bulk-wait
// roots: 2
// Two tiles with an mbarrier each, and neither is waited for before it is read: two missing waits,
// although the reads are side by side and of one rule.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64;

template <bool fixed>
__global__ void add_tiles(const int* in, int* out) {
  __shared__ alignas(128) int first[count], second[count];
  __shared__ std::uint64_t first_full, second_full;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&first_full, 1);
    ptx::mbarrier_init(&second_full, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect(&first_full, sizeof first);
    ptx::bulk_load(first, in, sizeof first, &first_full);
    ptx::mbarrier_arrive_expect(&second_full, sizeof second);
    ptx::bulk_load(second, in + count, sizeof second, &second_full);
  }
  __syncthreads();
  if (fixed) ptx::mbarrier_wait(&first_full, 0);
  const int own = first[threadIdx.x];
  if (fixed) ptx::mbarrier_wait(&second_full, 0);
  out[threadIdx.x] = own + second[threadIdx.x];
  if (!fixed) ptx::mbarrier_wait(&first_full, 0);
  if (!fixed) ptx::mbarrier_wait(&second_full, 0);
}

template <bool fixed>
bool run() {
  const hazard::Array<int> in(hazard::numbers(2 * count)), out(count);
  add_tiles<fixed><<<1, count>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number(i) + hazard::number(count + i); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
