// hazard: shared-race
// A tile is filled, a barrier, the tile is read, and the next turn fills it again: the last read of
// one turn and the first write of the next are unordered (write after read). The second
// __syncthreads() of the tiled loop of the programming guide is missing.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 128, turns = 4;

template <bool fixed>
__global__ void sum_tiles(const int* in, int* out) {
  __shared__ int tile[threads];
  const int thread = threadIdx.x;
  int sum = 0;
  for (int turn = 0; turn < turns; ++turn) {
    tile[thread] = in[turn * threads + thread];
    __syncthreads();
    for (int i = 0; i < threads; i += 16) sum += tile[(thread + i) % threads];
    if constexpr (fixed) __syncthreads();
  }
  out[thread] = sum;
}

template <bool fixed>
bool run() {
  std::vector<int> values(threads * turns);
  for (int i = 0; i < threads * turns; ++i) values[i] = i * 7 % 31;
  hazard::Array<int> in(values), out(threads);
  sum_tiles<fixed><<<1, threads>>>(in.get(), out.get());
  hazard::finish();
  return out.holds([&](int thread) {
    int sum = 0;
    for (int turn = 0; turn < turns; ++turn)
      for (int i = 0; i < threads; i += 16) sum += values[turn * threads + (thread + i) % threads];
    return sum;
  });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
