// hazard: shared-race
// A persistent block: thread 0 fetches the number of the next tile for all. The barrier after the
// write is there; the one that keeps it from fetching again while others still read is missing.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, tiles = 9;

template <bool fixed>
__global__ void take_tiles(int* counter, int* visits) {
  __shared__ int tile;
  while (true) {
    if (threadIdx.x == 0) tile = atomicAdd(counter, 1);
    __syncthreads();
    const int mine = tile;
    if constexpr (fixed) __syncthreads();
    if (mine >= tiles) return;
    atomicAdd(visits + mine, 1);
  }
}

template <bool fixed>
bool run() {
  hazard::Array<int> counter(1), visits(tiles);
  take_tiles<fixed><<<2, threads>>>(counter.get(), visits.get());
  hazard::finish();
  return visits.holds([](int) { return threads; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
