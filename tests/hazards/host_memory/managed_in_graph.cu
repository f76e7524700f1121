// hazard: host-race
// A graph is launched whose kernel writes managed memory; the launch returns at once.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream stream;
  const reachable::Managed memory;
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  host::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  reachable::twice<<<host::grid, host::block, 0, stream>>>(memory.device());
  host::check(cudaStreamEndCapture(stream, &graph));
  host::check(cudaGraphInstantiate(&executable, graph, 0));
  host::check(cudaGraphLaunch(executable, stream));
  if constexpr (fixed) host::check(cudaStreamSynchronize(stream));
  const long seen = reachable::sum(memory.values);
  hazard::finish();
  host::check(cudaGraphExecDestroy(executable));
  host::check(cudaGraphDestroy(graph));
  return seen == 2 * reachable::sum_of_numbers;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
