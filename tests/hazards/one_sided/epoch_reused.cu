// hazard: global-race
// options: --device h200,sms=4,gpus=2
// Every launch counts its epochs from 1 again, and nobody has cleared the flags: the second launch
// finds those of the first, does not wait, and reads what the other rank is about to put.
#include "tests/hazards/one_sided/ranks.cuh"

namespace {

constexpr int launches = 2;

__global__ void exchange(ranks::Memory* own, ranks::Memory* other, std::uint32_t epoch, int value) {
  const int i = static_cast<int>(threadIdx.x);
  other->data[epoch % 2][i] = value + i;
  __syncthreads();
  if (i == 0) {
    ranks::signal(&other->flag[0], epoch);
    ranks::await(&own->flag[0], epoch);
  }
  __syncthreads();
  own->out[i] = own->data[epoch % 2][i];
}

template <bool fixed>
bool run() {
  const ranks::Pair pair(ranks::Where::two_devices);
  for (int launch = 1; launch <= launches; ++launch) {
    const auto epoch = static_cast<std::uint32_t>(fixed ? launch : 1);
    for (const int rank : {0, 1}) {
      pair.use(rank);
      exchange<<<1, ranks::threads, 0, pair.stream(rank)>>>(pair[rank], pair[1 - rank], epoch,
                                                            100 * launch + rank);
    }
  }
  pair.finish();
  return pair.holds(0, [](int i) { return 100 * launches + 1 + i; }) &&
         pair.holds(1, [](int i) { return 100 * launches + i; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
