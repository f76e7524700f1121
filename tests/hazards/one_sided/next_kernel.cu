// hazard: stream-race
// options: --device h200,sms=4,gpus=2
// A kernel waits for a flag, and the one behind it in the stream, and a copy, take what the other
// device has put. It was the flag of the first half, and they take the second.
#include "tests/hazards/one_sided/ranks.cuh"

namespace {

__global__ void put(ranks::Memory* other) {
  const int i = static_cast<int>(threadIdx.x);
  for (int half = 0; half < 2; ++half) {
    other->data[half][i] = 9 * half + i;
    __syncthreads();
    if (i == 0) ranks::signal(&other->flag[half], 1);
  }
}

template <bool fixed>
__global__ void wait(ranks::Memory* own) {
  ranks::await(&own->flag[fixed ? 1 : 0], 1);
}

__global__ void take(ranks::Memory* own) {
  const int i = static_cast<int>(threadIdx.x);
  own->out[i] = own->data[1][i];
}

template <bool fixed>
bool run() {
  const ranks::Pair pair(ranks::Where::two_devices);
  pair.use(1);
  wait<fixed><<<1, 1, 0, pair.stream(1)>>>(pair[1]);
  take<<<1, ranks::threads, 0, pair.stream(1)>>>(pair[1]);
  hazard::require(cudaMemcpyAsync(pair[1]->data[2], pair[1]->data[1], sizeof pair[1]->data[1],
                                  cudaMemcpyDeviceToDevice, pair.stream(1)),
                  "cudaMemcpyAsync");
  pair.use(0);
  put<<<1, ranks::threads, 0, pair.stream(0)>>>(pair[1]);
  pair.finish();
  return pair.holds(1, [](int i) { return 9 + i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
