// hazard: none
// Two branches of a captured graph add to the same counters with atomics, without a result.
#include "tests/hazards/host/streams.cuh"

namespace {

__global__ void add(float* sums) { atomicAdd(sums + threadIdx.x % 32, 1.0f); }

bool run() {
  const host::Stream main, side;
  const host::Event begin;
  hazard::Array<float> sums(32);
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  host::check(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
  host::check(cudaEventRecord(begin, main));
  host::check(cudaStreamWaitEvent(side, begin, 0));
  add<<<host::grid, host::block, 0, side>>>(sums.get());
  add<<<host::grid, host::block, 0, main>>>(sums.get());
  host::order(side, main);
  host::check(cudaStreamEndCapture(main, &graph));
  host::check(cudaGraphInstantiate(&executable, graph, 0));
  host::check(cudaGraphLaunch(executable, main));
  hazard::finish();
  host::check(cudaGraphExecDestroy(executable));
  host::check(cudaGraphDestroy(graph));
  return sums.holds([](int) { return 2 * host::count / 32; });
}

const hazard::Program program(__FILE__, run);

}  // namespace
