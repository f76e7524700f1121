// hazard: stream-race
// A captured graph with a fork: both branches start at the same event, but one needs what the other
// writes. They only meet at the end.
#include "tests/hazards/host/streams.cuh"

namespace {

template <bool fixed>
bool run() {
  const host::Stream main, side;
  const host::Event begin;
  hazard::Array<int> between(host::count), out(host::count);
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  host::check(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
  host::check(cudaEventRecord(begin, main));
  host::check(cudaStreamWaitEvent(side, begin, 0));
  host::number<<<host::grid, host::block, 0, side>>>(between.get());
  if constexpr (fixed) host::order(side, main);
  host::add_one<<<host::grid, host::block, 0, main>>>(out.get(), between.get());
  host::order(side, main);
  host::check(cudaStreamEndCapture(main, &graph));
  host::check(cudaGraphInstantiate(&executable, graph, 0));
  host::check(cudaGraphLaunch(executable, main));
  hazard::finish();
  host::check(cudaGraphExecDestroy(executable));
  host::check(cudaGraphDestroy(graph));
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
