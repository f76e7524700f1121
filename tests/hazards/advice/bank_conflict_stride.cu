// hazard: bank-conflict
// options: --advice
// Each lane keeps eight words of its own in shared memory, one lane behind the other: lanes 0, 4,
// 8, ... meet in one bank, eight at a time. An odd distance (nine words) has no conflict.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void own_words(int* out) {
  constexpr int distance = fixed ? 9 : 8;
  __shared__ int words[32 * distance];
  volatile int* own = words + threadIdx.x * distance;  // or they would stay in registers
  for (int i = 0; i < 8; ++i) own[i] = i + static_cast<int>(threadIdx.x);
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += own[i];
  out[threadIdx.x] = sum;
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(32);
  own_words<fixed><<<1, 32>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return 28 + 8 * i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
