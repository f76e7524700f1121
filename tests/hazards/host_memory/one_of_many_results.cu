// hazard: host-race
// Small kernels of several streams each write a word of a pinned table. The host waits for one
// stream and reads the word of another.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

__global__ void store(int* at, int value) { *at = value; }

template <bool fixed>
bool run() {
  const host::Stream streams[2];
  int* results = nullptr;
  host::check(cudaMallocHost(&results, 16 * sizeof(int)));
  for (int i = 0; i < 16; ++i) results[i] = 0;
  store<<<1, 1, 0, streams[0]>>>(results + 3, 30);
  store<<<1, 1, 0, streams[1]>>>(results + 7, 70);
  host::check(cudaStreamSynchronize(streams[0]));
  const int seen = results[fixed ? 3 : 7];
  hazard::finish();
  host::check(cudaFreeHost(results));
  return seen == (fixed ? 30 : 70);
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
