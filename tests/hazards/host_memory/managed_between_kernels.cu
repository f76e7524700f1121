// hazard: host-race
// The host changes managed memory between two kernels of one stream: that the launches are in
// order says nothing about the host.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const reachable::Managed memory;
  reachable::twice<<<host::grid, host::block, 0, stream>>>(memory.device());
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  for (int i = 0; i < host::count; ++i) memory.values[i] += 1;
  reachable::twice<<<host::grid, host::block, 0, stream>>>(memory.device());
  host::check(cudaStreamSynchronize(stream));
  return memory.values[1] == 6;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
