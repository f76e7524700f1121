// The products as an executable graph: nodes that need nothing of each other, in a few chains. All
// of them without any order would be as many queues for the device to serve; in a chain a node
// starts as soon as all blocks of the one before it have begun, which keeps the order in which
// blocks come and lets none of them wait for another product's end.
#pragma once

#include <utility>
#include <vector>

#include "chapters/ch11/tensor_cores_streams/products.hpp"

namespace aisp::ch11::products {

// When a node of a chain may start: when all blocks of the one before it have ended, or as soon as
// they have begun.
enum class After { end, begin };

class ProductGraph {
 public:
  // Records product i as a node of chain i % streams.count(). One node more comes after all of
  // them, because the end of a chain says nothing about the nodes before it.
  ProductGraph(std::vector<PlannedRun> runs, const SideStreams& streams, After after)
      : runs_(std::move(runs)) {
    const Stream origin("recording");
    lab::check_cuda(cudaStreamBeginCapture(origin.get(), cudaStreamCaptureModeThreadLocal),
                    "cudaStreamBeginCapture");
    run_side_by_side(runs_, streams, origin.get());
    lab::check_cuda(cudaStreamEndCapture(origin.get(), &graph_), "cudaStreamEndCapture");
    if (after == After::begin) let_begin_early();
    lab::check_cuda(cudaGraphInstantiate(&executable_, graph_, 0), "cudaGraphInstantiate");
    // The nodes are on the device before the first launch asks for them.
    lab::check_cuda(cudaGraphUpload(executable_, origin.get()), "cudaGraphUpload");
    lab::check_cuda(cudaStreamSynchronize(origin.get()), "cudaGraphUpload");
  }
  ProductGraph(const ProductGraph&) = delete;
  ProductGraph& operator=(const ProductGraph&) = delete;
  ~ProductGraph() {
    if (executable_ != nullptr) cudaGraphExecDestroy(executable_);
    if (graph_ != nullptr) cudaGraphDestroy(graph_);
  }

  void launch(cudaStream_t stream) const {
    lab::check_cuda(cudaGraphLaunch(executable_, stream), "cudaGraphLaunch");
  }

  // Where the stream is being recorded itself: the graph becomes a node of that one.
  void add_to_recording(cudaStream_t stream) const {
    cudaStreamCaptureStatus status{};
    cudaGraph_t into{};
    const cudaGraphNode_t* before = nullptr;
    const cudaGraphEdgeData* edges = nullptr;
    std::size_t count = 0;
    lab::check_cuda(
        cudaStreamGetCaptureInfo(stream, &status, nullptr, &into, &before, &edges, &count),
        "cudaStreamGetCaptureInfo");
    cudaGraphNode_t node{};
    lab::check_cuda(cudaGraphAddChildGraphNode(&node, into, before, count, graph_),
                    "cudaGraphAddChildGraphNode");
    lab::check_cuda(cudaStreamUpdateCaptureDependencies(stream, &node, nullptr, 1,
                                                        cudaStreamSetCaptureDependencies),
                    "cudaStreamUpdateCaptureDependencies");
  }

 private:
  // All edges of the recorded graph are between products.
  void let_begin_early() {
    std::size_t count = 0, nodes = 0;
    lab::check_cuda(cudaGraphGetEdges(graph_, nullptr, nullptr, nullptr, &count),
                    "cudaGraphGetEdges");
    std::vector<cudaGraphNode_t> from(count), to(count);
    std::vector<cudaGraphEdgeData> edges(count);
    lab::check_cuda(cudaGraphGetEdges(graph_, from.data(), to.data(), edges.data(), &count),
                    "cudaGraphGetEdges");
    lab::check_cuda(
        cudaGraphRemoveDependencies(graph_, from.data(), to.data(), edges.data(), count),
        "cudaGraphRemoveDependencies");
    cudaGraphEdgeData begun{};
    begun.from_port = cudaGraphKernelNodePortLaunchCompletion;
    begun.type = cudaGraphDependencyTypeProgrammatic;
    edges.assign(count, begun);
    lab::check_cuda(cudaGraphAddDependencies(graph_, from.data(), to.data(), edges.data(), count),
                    "cudaGraphAddDependencies");
    lab::check_cuda(cudaGraphGetNodes(graph_, nullptr, &nodes), "cudaGraphGetNodes");
    std::vector<cudaGraphNode_t> all(nodes);
    lab::check_cuda(cudaGraphGetNodes(graph_, all.data(), &nodes), "cudaGraphGetNodes");
    cudaGraphNode_t end{};
    lab::check_cuda(cudaGraphAddEmptyNode(&end, graph_, all.data(), nodes),
                    "cudaGraphAddEmptyNode");
  }

  std::vector<PlannedRun> runs_;  // what the nodes point to is theirs
  cudaGraph_t graph_{};
  cudaGraphExec_t executable_{};
};

}  // namespace aisp::ch11::products
