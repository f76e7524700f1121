// hazard: host-race
// cudaMemset2DAsync on pinned memory, whose rows are all of it.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const host::Pinned memory;
  constexpr std::size_t rows = 8, width = host::bytes / rows;
  host::check(cudaMemset2DAsync(memory.values, width, 0, width, rows, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const int seen = memory.values[host::count - 1];
  hazard::finish();
  return seen == 0;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
