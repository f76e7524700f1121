// hazard: host-race
// A copy brings results into managed memory asynchronously, and the host reads them at once.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const reachable::Managed memory;
  hazard::Array<int> values(host::count);
  host::number<<<host::grid, host::block, 0, stream>>>(values.get());
  host::check(
      cudaMemcpyAsync(memory.device(), values.get(), host::bytes, cudaMemcpyDefault, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const long seen = reachable::sum(memory.values);
  hazard::finish();
  return seen == reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
