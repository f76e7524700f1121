// hazard: none
// options: --device h200,sms=4,gpus=2
// Two ranks exchange in every step. With two buffers no flag has to say that one was read: who puts
// step s has found the other's signal of step s - 1, which came behind its reads of step s - 2.
#include "tests/hazards/one_sided/ranks.cuh"

namespace {

constexpr int steps = 9;

__global__ void exchange(ranks::Memory* own, ranks::Memory* other, int value) {
  const int i = static_cast<int>(threadIdx.x);
  value += i;
  for (std::uint32_t step = 1; step <= steps; ++step) {
    other->data[step % 2][i] = value + 1;
    __syncthreads();
    if (i == 0) {
      ranks::signal(&other->flag[0], step);
      ranks::await(&own->flag[0], step);
    }
    __syncthreads();
    value = own->data[step % 2][i];
  }
  own->out[i] = value;
}

bool run() {
  const ranks::Pair pair(ranks::Where::two_devices);
  for (const int rank : {1, 0}) {
    pair.use(rank);
    exchange<<<1, ranks::threads, 0, pair.stream(rank)>>>(pair[rank], pair[1 - rank], 50 * rank);
  }
  pair.finish();
  return pair.holds(0, [](int i) { return 50 + i + steps; }) &&
         pair.holds(1, [](int i) { return i + steps; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
