// hazard: global-race
// options: --device h200,sms=4,gpus=2
// Blocks count themselves in at the other device with an atomic, which is relaxed: the fence of the
// system that releases what a block has put is missing.
#include "tests/hazards/one_sided/ranks.cuh"

namespace {

constexpr int blocks = 3;

template <bool fixed>
__global__ void put(ranks::Memory* other) {
  const int i = static_cast<int>(threadIdx.x), block = static_cast<int>(blockIdx.x);
  other->data[block][i] = (block + 1) * i;
  __syncthreads();
  if (i != 0) return;
  if constexpr (fixed) __threadfence_system();
  atomicAdd_system(&other->flag[0], 1u);
}

__global__ void take(ranks::Memory* own) {
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0) ranks::await(&own->flag[0], blocks);
  __syncthreads();
  own->out[i] = own->data[0][i] + own->data[1][i] + own->data[2][i];
}

template <bool fixed>
bool run() {
  const ranks::Pair pair(ranks::Where::two_devices);
  pair.use(0);
  put<fixed><<<blocks, ranks::threads, 0, pair.stream(0)>>>(pair[1]);
  pair.use(1);
  take<<<1, ranks::threads, 0, pair.stream(1)>>>(pair[1]);
  pair.finish();
  return pair.holds(1, [](int i) { return 6 * i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
