// hazard: shared-race
// roots: 1
// A reduction without the barrier between the partial sums and those who read them: all of the
// reads behind it are wrong, and one barrier fixes them.
#include "tests/hazards/hazard.hpp"

namespace {

template <bool fixed>
__global__ void reduce(int* out) {
  __shared__ int partial[4], largest[4];
  const int thread = static_cast<int>(threadIdx.x), warp = thread / 32;
  int sum = thread, most = thread;
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(~0u, sum, step);
    most = max(most, __shfl_xor_sync(~0u, most, step));
  }
  if (thread % 32 == 0) partial[warp] = sum;
  if (thread % 32 == 0) largest[warp] = most;
  if constexpr (fixed) __syncthreads();
  const int all = partial[0] + partial[1] + partial[2] + partial[3];
  const int top = max(max(largest[0], largest[1]), max(largest[2], largest[3]));
  out[thread] = all + top;
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(128);
  reduce<fixed><<<1, 128>>>(out.get());
  hazard::finish();
  return out.holds([](int) { return 127 * 64 + 127; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
