// hazard: none
// One mbarrier orders 40 rounds of an exchange through two buffers in turn: a thread that writes a
// buffer again has passed the phase that all readers of it arrived at after reading.
#include "tests/hazards/async/numbers.hpp"
#include "tests/hazards/async/ptx_async.cuh"

namespace {

constexpr int count = 64, rounds = 40;

__global__ void rotate(int* out) {
  __shared__ int buffer[2][count];
  __shared__ std::uint64_t ready;
  if (threadIdx.x == 0) ptx::mbarrier_init(&ready, count);
  __syncthreads();
  int value = hazard::number(threadIdx.x);
  for (int i = 0; i < rounds; ++i) {
    buffer[i % 2][threadIdx.x] = value;
    ptx::mbarrier_arrive(&ready);
    ptx::mbarrier_wait(&ready, i & 1);
    value = buffer[i % 2][(threadIdx.x + 1) % count];
  }
  out[threadIdx.x] = value;
}

bool run() {
  const hazard::Array<int> out(count);
  rotate<<<1, count>>>(out.get());
  hazard::finish();
  return out.holds([](int i) { return hazard::number((i + rounds) % count); });
}

const hazard::Program program(__FILE__, run);

}  // namespace
