// hazard: global-race
// A lock made of atomicCAS() and atomicExch(), both relaxed: it keeps the critical sections apart
// in time but does not make one visible to the next. It needs an acquire behind and a release
// before.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int blocks = 8;

template <bool fixed>
__global__ void locked(int* lock, int* counter, int* last) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  if constexpr (fixed) __threadfence();
  *counter += 1;
  *last = *counter * 100;
  if constexpr (fixed) __threadfence();
  atomicExch(lock, 0);
}

template <bool fixed>
bool run() {
  hazard::Array<int> lock(1), counter(1), last(1);
  locked<fixed><<<blocks, 1>>>(lock.get(), counter.get(), last.get());
  hazard::finish();
  return counter.holds([](int) { return blocks; }) && last.holds([](int) { return blocks * 100; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
