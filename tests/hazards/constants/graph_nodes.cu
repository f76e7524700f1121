// hazard: stream-race
// Two branches of a captured graph: one uploads the table, the other reads it.
#include "tests/hazards/host/streams.cuh"

namespace {

__constant__ int table[host::block];

__global__ void look_up(int* out) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  out[i] = table[threadIdx.x];
}

template <bool fixed>
bool run() {
  const host::Stream main, side;
  const host::Event begin;
  const host::Pinned fresh;
  hazard::Array<int> out(host::count);
  cudaGraph_t graph{};
  cudaGraphExec_t executable{};
  host::check(cudaStreamBeginCapture(main, cudaStreamCaptureModeThreadLocal));
  host::check(cudaEventRecord(begin, main));
  host::check(cudaStreamWaitEvent(side, begin, 0));
  host::check(
      cudaMemcpyToSymbolAsync(table, fresh.values, sizeof table, 0, cudaMemcpyHostToDevice, side));
  if constexpr (fixed) host::order(side, main);
  look_up<<<host::grid, host::block, 0, main>>>(out.get());
  host::order(side, main);
  host::check(cudaStreamEndCapture(main, &graph));
  host::check(cudaGraphInstantiate(&executable, graph, 0));
  host::check(cudaGraphLaunch(executable, main));
  hazard::finish();
  host::check(cudaGraphExecDestroy(executable));
  host::check(cudaGraphDestroy(graph));
  return out.holds([](int i) { return i % host::block; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
