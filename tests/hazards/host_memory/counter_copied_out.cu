// hazard: host-race
// One counter of a few is copied to pinned memory asynchronously, and looked at before the copy is
// done.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  int* counters = nullptr;
  host::check(cudaHostAlloc(&counters, 4 * sizeof(int), cudaHostAllocDefault));
  counters[0] = counters[1] = 0;
  const hazard::Array<int> counted(std::vector<int>(1, 9));
  host::check(
      cudaMemcpyAsync(counters + 1, counted.get(), sizeof(int), cudaMemcpyDeviceToHost, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const int seen = counters[1];
  hazard::finish();
  host::check(cudaFreeHost(counters));
  return seen == 9;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
