// hazard: deadlock
// says: the parity of a phase that has already passed
// says: flip the parity with every wait
// Two phases complete before a consumer waits for the first of them: it finds the parity of the
// third phase, at which no thread arrives.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 32;

template <bool fixed>
__global__ void signal(int* out) {
  __shared__ int values[count];
  __shared__ std::uint64_t ready;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread == 0) ptx::mbarrier_init(&ready, count);
  __syncthreads();
  if (thread >= count) {
    values[thread - count] = hazard::number(thread - count);
    ptx::mbarrier_arrive(&ready);
    if (!fixed) ptx::mbarrier_arrive(&ready);
  }
  __syncthreads();
  if (thread < count) {
    ptx::mbarrier_wait(&ready, 0);
    out[thread] = values[count - 1 - thread];
  }
}

template <bool fixed>
bool run() {
  const hazard::Array<int> out(count);
  signal<fixed><<<1, 2 * count>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number(count - 1 - i); });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
