// hazard: stream-race
// A graph built by hand: the reading node does not name the writing one as what it depends on.
#include "tests/hazards/host/streams.cuh"

namespace {

cudaKernelNodeParams node_of(void* kernel, void** args) {
  cudaKernelNodeParams parameters{};
  parameters.func = kernel;
  parameters.gridDim = dim3(host::grid);
  parameters.blockDim = dim3(host::block);
  parameters.kernelParams = args;
  return parameters;
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> between(host::count), out(host::count);
  int *written = between.get(), *result = out.get();
  void *first_args[] = {&written}, *second_args[] = {&result, &written};
  const auto first = node_of(reinterpret_cast<void*>(host::number), first_args);
  const auto second = node_of(reinterpret_cast<void*>(host::add_one), second_args);
  cudaGraph_t graph{};
  cudaGraphNode_t writer{}, reader{};
  host::check(cudaGraphCreate(&graph, 0));
  host::check(cudaGraphAddKernelNode(&writer, graph, nullptr, 0, &first));
  host::check(cudaGraphAddKernelNode(&reader, graph, &writer, fixed ? 1 : 0, &second));
  cudaGraphExec_t executable{};
  host::check(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i) host::check(cudaGraphLaunch(executable, stream));
  hazard::finish();
  host::check(cudaGraphExecDestroy(executable));
  host::check(cudaGraphDestroy(graph));
  return out.holds([](int i) { return i + 1; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
