// hazard: dependency-wait
// A graph's edge from the launch completion of a kernel: the second one may start as soon as all
// blocks of the first have started, whether they let go or not.
#include "tests/hazards/programmatic/chain.cuh"

namespace {

template <bool fixed>
__global__ void second(int* out, const int* in) {
  const int i = chain::index();
  if constexpr (fixed) chain::wait();
  const int value = in[i];
  if constexpr (!fixed) chain::wait();
  out[i] = value + 7;
}

cudaGraphNode_t add_kernel(cudaGraph_t graph, void* kernel, void** arguments) {
  cudaKernelNodeParams params{};
  params.func = kernel;
  params.gridDim = dim3(host::grid);
  params.blockDim = dim3(host::block);
  params.kernelParams = arguments;
  cudaGraphNode_t node = nullptr;
  host::check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params));
  return node;
}

template <bool fixed>
bool run() {
  const host::Stream stream;
  hazard::Array<int> one(host::count), out(host::count);
  int *between = one.get(), *result = out.get();
  void *first_arguments[] = {&between}, *second_arguments[] = {&result, &between};
  cudaGraph_t graph = nullptr;
  host::check(cudaGraphCreate(&graph, 0));
  const auto first = add_kernel(graph, reinterpret_cast<void*>(host::number), first_arguments);
  const auto next = add_kernel(graph, reinterpret_cast<void*>(second<fixed>), second_arguments);
  cudaGraphEdgeData edge{};
  edge.from_port = cudaGraphKernelNodePortLaunchCompletion;
  edge.type = cudaGraphDependencyTypeProgrammatic;
  host::check(cudaGraphAddDependencies(graph, &first, &next, &edge, 1));
  cudaGraphExec_t ready = nullptr;
  host::check(cudaGraphInstantiate(&ready, graph, 0));
  host::check(cudaGraphLaunch(ready, stream));
  hazard::finish();
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  return out.holds([](int i) { return i + 7; });
}

const hazard::Program program(__FILE__, run<false>, run<true>);

}  // namespace
