// The entries that begin, end and describe a capture.
#include "sim/cudart/capture.hpp"

#include <algorithm>

using sim::api;
using sim::require;
using sim::Runtime;
using sim::Stream;
using sim::Streams;

namespace {

cudaStreamCaptureStatus status_of(const Stream& stream) {
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
}

// Default edges only: what these arrays point to must say so.
void require_plain(const cudaGraphEdgeData* edges, size_t count) {
  for (size_t i = 0; edges != nullptr && i < count; ++i) sim::require_edge(edges[i]);
}

std::vector<sim::GraphNode*> nodes_in(const sim::Graph& graph, const cudaGraphNode_t* handles,
                                      size_t count) {
  require(count == 0 || handles != nullptr);
  std::vector<sim::GraphNode*> nodes;
  for (size_t i = 0; i < count; ++i) {
    nodes.push_back(&sim::node_of(handles[i]));
    require(nodes.back()->graph == &graph);
  }
  return nodes;
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    sim::begin_capture(Streams::get().find(handle), std::make_shared<sim::Graph>(), mode);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges, size_t count,
                                          cudaStreamCaptureMode mode) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    Stream& stream = Streams::get().find(handle);
    const std::shared_ptr<sim::Graph> into = sim::share_graph(graph);
    require_plain(edges, count);
    const auto nodes = nodes_in(*into, dependencies, count);
    sim::begin_capture(stream, into, mode);
    stream.frontier = nodes;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return api([&](Runtime& runtime) {
    require(graph != nullptr);
    *graph = nullptr;
    const std::lock_guard lock(runtime.mutex);
    *graph = sim::publish_graph(sim::end_capture(Streams::get().find(handle)));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return api([&](Runtime& runtime) {
    require(status != nullptr);
    const std::lock_guard lock(runtime.mutex);
    const Stream& stream = Streams::get().find(handle);
    sim::require_no_implicit_capture(stream, true);
    *status = status_of(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  return api([&](Runtime& runtime) {
    require(status != nullptr);
    const std::lock_guard lock(runtime.mutex);
    const Stream& stream = Streams::get().find(handle);
    sim::require_no_implicit_capture(stream, true);
    *status = status_of(stream);
    if (*status != cudaStreamCaptureStatusActive) return cudaSuccess;
    if (id != nullptr) *id = stream.capture->id;
    if (graph != nullptr) *graph = sim::handle_of(*stream.capture->graph);
    // The caller may keep these until its next call on the stream.
    if (dependencies != nullptr)
      *dependencies = reinterpret_cast<const cudaGraphNode_t*>(stream.frontier.data());
    stream.capture->edges.assign(stream.frontier.size(), {});
    if (edges != nullptr) *edges = stream.capture->edges.data();
    if (count != nullptr) *count = stream.frontier.size();
    return cudaSuccess;
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges, size_t count,
                                                unsigned flags) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    Stream& stream = Streams::get().find(handle);
    require(flags == cudaStreamAddCaptureDependencies || flags == cudaStreamSetCaptureDependencies);
    require(stream.capture != nullptr, cudaErrorIllegalState);
    require(stream.capture->valid, cudaErrorStreamCaptureInvalidated);
    require_plain(edges, count);
    const auto nodes = nodes_in(*stream.capture->graph, dependencies, count);
    if (flags == cudaStreamSetCaptureDependencies) stream.frontier.clear();
    for (sim::GraphNode* node : nodes)
      if (std::find(stream.frontier.begin(), stream.frontier.end(), node) == stream.frontier.end())
        stream.frontier.push_back(node);
    return cudaSuccess;
  });
}
