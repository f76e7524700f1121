// hazard: shared-race
// Two buffers, one is read while the other is filled. One barrier a turn is enough, and needed: it
// ends the reads of one buffer and the writes of the other. The bug has it in every second turn.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 96, turns = 6;

template <bool fixed>
__global__ void rotate(int* out) {
  __shared__ int buffer[2][threads];
  const int thread = threadIdx.x;
  buffer[0][thread] = thread;
  __syncthreads();
  for (int turn = 0; turn < turns; ++turn) {
    const int value = buffer[turn % 2][(thread + 32) % threads];
    buffer[(turn + 1) % 2][thread] = value + 1;
    if (fixed || turn % 2 == 1) __syncthreads();
  }
  out[thread] = buffer[turns % 2][thread];
}

template <bool fixed>
bool run() {
  hazard::Array<int> out(threads);
  rotate<fixed><<<1, threads>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return (i + 32 * turns) % threads + turns; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
