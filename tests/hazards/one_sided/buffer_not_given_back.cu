// hazard: global-race
// options: --device h200,sms=4,gpus=2
// One buffer for every step, each step with a flag of its own. The rank that puts does not wait
// until the other has read the step before, and writes over it.
#include "tests/hazards/one_sided/ranks.cuh"

namespace {

constexpr int steps = 3;

template <bool fixed>
__global__ void put(ranks::Memory* own, ranks::Memory* other) {
  const int i = static_cast<int>(threadIdx.x);
  for (int step = 0; step < steps; ++step) {
    if (fixed && step > 0) {
      if (i == 0) ranks::await(&own->flag[0], static_cast<std::uint32_t>(step));
      __syncthreads();
    }
    other->data[0][i] = step + i;
    __syncthreads();
    if (i == 0) ranks::signal(&other->flag[step], 1);
  }
}

__global__ void take(ranks::Memory* own, ranks::Memory* other) {
  const int i = static_cast<int>(threadIdx.x);
  int sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (i == 0) ranks::await(&own->flag[step], 1);
    __syncthreads();
    sum += own->data[0][i];
    __syncthreads();
    if (i == 0) ranks::signal(&other->flag[0], static_cast<std::uint32_t>(step + 1));
  }
  own->out[i] = sum;
}

template <bool fixed>
bool run() {
  const ranks::Pair pair(ranks::Where::two_devices);
  pair.use(0);
  put<fixed><<<1, ranks::threads, 0, pair.stream(0)>>>(pair[0], pair[1]);
  pair.use(1);
  take<<<1, ranks::threads, 0, pair.stream(1)>>>(pair[1], pair[0]);
  pair.finish();
  return pair.holds(1, [](int i) { return steps * (steps - 1) / 2 + steps * i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
