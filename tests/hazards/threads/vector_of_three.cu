// hazard: shared-race
// Three words are read with a load of four, as compilers do; every thread's fourth word is written
// by its neighbour. Where no instruction reads the fourth register that is no bug; where one does,
// its value depends on who comes first.
#include "tests/hazards/hazard.hpp"
#include "tests/hazards/ptx.cuh"

namespace {

constexpr int threads = 64;

template <bool fixed>
__global__ void sum_three(int* out) {
  __shared__ alignas(16) int words[threads * 4 + 4];
  const int thread = threadIdx.x;
  for (int i = 0; i < 3; ++i) words[thread * 4 + i] = thread * 10 + i;
  words[thread * 4 + 3] = 0;
  __syncthreads();
  int first, second, third, fourth = 0;
  const unsigned from = ptx::shared_address(words + thread * 4);
  if (fixed)
    asm volatile("{ .reg .b32 other; ld.shared.v4.b32 {%0, %1, %2, other}, [%3]; }"
                 : "=r"(first), "=r"(second), "=r"(third)
                 : "r"(from)
                 : "memory");
  else
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(first), "=r"(second), "=r"(third), "=r"(fourth)
                 : "r"(from)
                 : "memory");
  words[(thread + 1) % threads * 4 + 3] = first;
  __syncthreads();
  out[thread] = first + second + third + fourth;
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(threads);
  sum_three<fixed><<<1, threads>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return i * 30 + 3; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
