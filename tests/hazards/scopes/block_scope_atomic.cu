// hazard: global-race
// Two blocks count with atomics of block scope (atomicAdd_block). Atomics are atomic only for the
// threads of their scope: between blocks these are two unordered read-modify-writes.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

template <bool fixed>
__global__ void count(std::uint32_t* counter) {
  fixed ? ptx::add_relaxed(counter, 1) : ptx::add_relaxed_cta(counter, 1);
}

template <bool fixed>
bool run() {
  hazard::Array<std::uint32_t> counter(1);
  count<fixed><<<2, 64>>>(counter.get());
  hazard::finish();
  return counter.holds([](int) { return 128; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
