// hazard: counter-fence
// Blocks that share a tile leave their parts in a workspace; the block that finishes the tile waits
// for them by a compare-and-swap that resets the counter, then by a block barrier, and adds them up
// (stream-K). The compare-and-swap is relaxed.
#include "tests/hazards/hazard.hpp"

namespace {

constexpr int threads = 64, tiles = 2, parts = 3;

template <bool fixed>
__global__ void add_up(float* workspace, unsigned* counters, float* out) {
  const int tile = static_cast<int>(blockIdx.x) / (parts + 1),
            thread = static_cast<int>(threadIdx.x);
  const int part = static_cast<int>(blockIdx.x) % (parts + 1);
  float* const own = workspace + (tile * parts + part) * threads;
  if (part < parts) {
    own[thread] = static_cast<float>(tile * 100 + part * 10);
    __syncthreads();
    if (thread == 0) {
      __threadfence();
      atomicAdd(&counters[tile], 1u);
    }
    return;
  }
  if (thread == 0) {
    while (atomicCAS(&counters[tile], parts, 0u) != parts) {
    }
    if constexpr (fixed) __threadfence();
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < parts; ++i) sum += workspace[(tile * parts + i) * threads + (thread ^ 1)];
  out[tile * threads + thread] = sum;
}

template <bool fixed>
bool run() {
  hazard::Array<float> workspace(tiles * parts * threads), out(tiles * threads);
  hazard::Array<unsigned> counters(tiles);
  add_up<fixed><<<tiles*(parts + 1), threads>>>(workspace.get(), counters.get(), out.get());
  hazard::finish();
  return out.holds([](int i) { return i / threads * 300 + 30; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
