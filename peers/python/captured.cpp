#include "peers/python/captured.hpp"

#include "base/refuse.hpp"
#include "lab/case/rung.hpp"

namespace aisp::peers {

Captured::Captured(cudaGraph_t graph) : graph_(graph) {
  std::size_t nodes = 0;
  lab::check_cuda(cudaGraphGetNodes(graph, nullptr, &nodes), "cudaGraphGetNodes");
  if (nodes == 0)
    base::refuse(base::Exit::environment,
                 "nothing was launched on the stream while it was captured");
  cudaGraphExec_t executable{};
  lab::check_cuda(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
  executable_.reset(executable, cudaGraphExecDestroy);
}

void Captured::enqueue(cudaStream_t stream) const {
  cudaStreamCaptureStatus status{};
  cudaGraph_t outer{};
  const cudaGraphNode_t* before = nullptr;
  std::size_t count = 0;
  lab::check_cuda(
      cudaStreamGetCaptureInfo(stream, &status, nullptr, &outer, &before, nullptr, &count),
      "cudaStreamGetCaptureInfo");
  if (status != cudaStreamCaptureStatusActive) {
    lab::check_cuda(cudaGraphLaunch(executable_.get(), stream), "cudaGraphLaunch");
    return;
  }
  cudaGraphNode_t node{};
  lab::check_cuda(cudaGraphAddChildGraphNode(&node, outer, before, count, graph_),
                  "cudaGraphAddChildGraphNode");
  lab::check_cuda(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                                      cudaStreamSetCaptureDependencies),
                  "cudaStreamUpdateCaptureDependencies");
}

}  // namespace aisp::peers
