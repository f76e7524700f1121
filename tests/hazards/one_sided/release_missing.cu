// hazard: global-race
// options: --device h200,sms=4,gpus=2
// The flag behind the data is stored without a release: it may be seen before the data.
#include "tests/hazards/one_sided/ranks.cuh"

namespace {

template <bool fixed>
__global__ void put(ranks::Memory* other) {
  const int i = static_cast<int>(threadIdx.x);
  other->data[0][i] = 7 + i;
  __syncthreads();

  if (i != 0) return;
  if constexpr (fixed)
    ranks::signal(&other->flag[0], 1);
  else
    ranks::signal_relaxed(&other->flag[0], 1);
}

template <bool fixed>
__global__ void take(ranks::Memory* own) {
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0) ranks::await(&own->flag[0], 1);
  __syncthreads();
  own->out[i] = own->data[0][i];
}

template <bool fixed>
bool run() {
  const ranks::Pair pair(ranks::Where::two_devices);
  pair.use(1);
  take<fixed><<<1, ranks::threads, 0, pair.stream(1)>>>(pair[1]);
  pair.use(0);
  put<fixed><<<1, ranks::threads, 0, pair.stream(0)>>>(pair[1]);
  pair.finish();
  return pair.holds(1, [](int i) { return 7 + i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
