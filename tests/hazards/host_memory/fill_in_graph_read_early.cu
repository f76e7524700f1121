// hazard: host-race
// A graph clears pinned memory, and the host reads it before the graph is done.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const host::Pinned memory;
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  host::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  host::check(cudaMemsetAsync(memory.values, 0, host::bytes, stream));
  host::check(cudaStreamEndCapture(stream, &graph));
  host::check(cudaGraphInstantiate(&executable, graph, 0));
  host::check(cudaGraphLaunch(executable, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const int seen = memory.values[host::count - 1];
  hazard::finish();
  host::check(cudaGraphExecDestroy(executable));
  host::check(cudaGraphDestroy(graph));
  return seen == 0;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
