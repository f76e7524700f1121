// hazard: global-race
// Every block stores its own number into one word: different values, unordered, the result is any
// of them. An atomic maximum has one result.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void write_number(int* word) {
  if (threadIdx.x != 0) return;
  const int number = static_cast<int>(blockIdx.x) + 1;
  if constexpr (fixed)
    atomicMax(word, number);
  else
    *word = number;
}

template <bool fixed>
bool run() {
  hazard::Array<int> word(1);
  write_number<fixed><<<4, 32>>>(word.get());
  hazard::finish();
  return word.holds([](int) { return 4; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
