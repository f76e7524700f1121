// hazard: host-race
// cudaMemsetAsync clears managed memory in stream order: the host that reads it at once may see
// what was there.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const reachable::Managed memory;
  host::check(cudaMemsetAsync(memory.device(), 0, host::bytes, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const long seen = reachable::sum(memory.values);
  hazard::finish();
  return seen == 0;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
