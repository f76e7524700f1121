// hazard: host-race
// The host writes into pinned memory that cudaMemsetAsync is still to clear.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const host::Pinned memory;
  host::check(cudaMemsetAsync(memory.values, 0, host::bytes, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  for (int i = 0; i < host::count; ++i) memory.values[i] = 3;
  hazard::finish();
  return memory.values[host::count - 1] == 3;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
