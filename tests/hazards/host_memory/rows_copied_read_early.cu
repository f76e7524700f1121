// hazard: host-race
// A pitched copy writes all rows of a pinned buffer, and the host reads it before it has waited.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const host::Pinned memory;
  const hazard::Array<int> source(std::vector<int>(host::count, 9));
  constexpr std::size_t rows = 16, width = host::bytes / rows;
  host::check(cudaMemcpy2DAsync(memory.values, width, source.get(), width, width, rows,
                                cudaMemcpyDeviceToHost, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const int seen = memory.values[host::count / 2];
  hazard::finish();
  return seen == 9;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
