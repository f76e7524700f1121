// hazard: global-race
// options: --device h200,sms=4
// Two streams of one device: the flag is stored without a release. The scope of the device is
// enough.
#include "tests/hazards/one_sided/ranks.cuh"

namespace {

template <bool fixed>
__global__ void put(ranks::Memory* other) {
  const int i = static_cast<int>(threadIdx.x);
  other->data[0][i] = 7 + i;
  __syncthreads();

  if (i != 0) return;
  if constexpr (fixed)
    ranks::signal_gpu(&other->flag[0], 1);
  else
    ranks::signal_relaxed(&other->flag[0], 1);
}

template <bool fixed>
__global__ void take(ranks::Memory* own) {
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0) ranks::await_gpu(&own->flag[0], 1);
  __syncthreads();
  own->out[i] = own->data[0][i];
}

template <bool fixed>
bool run() {
  const ranks::Pair pair(ranks::Where::one_device);
  pair.use(1);
  take<fixed><<<1, ranks::threads, 0, pair.stream(1)>>>(pair[1]);
  pair.use(0);
  put<fixed><<<1, ranks::threads, 0, pair.stream(0)>>>(pair[1]);
  pair.finish();
  return pair.holds(1, [](int i) { return 7 + i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
