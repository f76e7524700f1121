// hazard: stream-race
// Host node and copy of a captured graph are in two branches that only meet at the end.
#include "tests/hazards/host_memory/reachable.cuh"

namespace {

struct Look {
  const int* values;
  long seen;
};

void look(void* data) {
  auto* const one = static_cast<Look*>(data);
  one->seen = reachable::sum(one->values);
}

template <bool fixed>
bool run() {
  const host::Stream main, side;
  const host::Event begin;
  const host::Pinned result;
  Look found{result.values, 0};
  const hazard::Array<int> values(std::vector<int>(host::count, 2));
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  host::check(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
  host::check(cudaEventRecord(begin, main));
  host::check(cudaStreamWaitEvent(side, begin, 0));
  host::check(
      cudaMemcpyAsync(result.values, values.get(), host::bytes, cudaMemcpyDeviceToHost, side));
  if constexpr (fixed) host::order(side, main);
  host::check(cudaLaunchHostFunc(main, look, &found));
  host::order(side, main);
  host::check(cudaStreamEndCapture(main, &graph));
  host::check(cudaGraphInstantiate(&executable, graph, 0));
  host::check(cudaGraphLaunch(executable, main));
  hazard::finish();
  host::check(cudaGraphExecDestroy(executable));
  host::check(cudaGraphDestroy(graph));
  return found.seen == 2 * host::count;
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
