// The entries that begin, end and describe a capture.
#include "sim/cudart/entry.hpp"
#include "sim/runtime/graph/captured_graph.hpp"
#include "sim/runtime/stream/streams.hpp"

using namespace aisp;

using sim::api;
using sim::capture_status;
using sim::locked_api;
using sim::require;
using sim::Runtime;
using sim::Stream;
using sim::Streams;

namespace {

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
  return locked_api([&] {
    sim::begin_capture(Streams::get().find(handle), std::make_shared<sim::Graph>(), mode);
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t handle, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies,
                                          const cudaGraphEdgeData* edges, size_t count,
                                          cudaStreamCaptureMode mode) {
  return locked_api([&] {
    Stream& stream = Streams::get().find(handle);
    const std::shared_ptr<sim::Graph> into = sim::share_graph(graph);
    require_plain(edges, count);
    const auto nodes = nodes_in(*into, dependencies, count);
    sim::begin_capture(stream, into, mode);
    stream.frontier = nodes;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return locked_api([&] {
    if (graph != nullptr) *graph = nullptr;
    // Whoever passes no place for it has the graph already, or does not want it.
    const auto captured = sim::end_capture_to_graph(Streams::get().find(handle));
    if (graph != nullptr) *graph = sim::publish_graph(captured);
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return locked_api([&] {
    require(status != nullptr);
    const Stream& stream = Streams::get().find(handle);
    sim::require_no_implicit_capture(stream, true);
    *status = capture_status(stream);
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies,
                                     const cudaGraphEdgeData** edges, size_t* count) {
  return locked_api([&] {
    require(status != nullptr);
    const Stream& stream = Streams::get().find(handle);
    sim::require_no_implicit_capture(stream, true);
    *status = capture_status(stream);
    if (*status != cudaStreamCaptureStatusActive) return;
    if (id != nullptr) *id = stream.capture->id;
    if (graph != nullptr) *graph = sim::handle_of(sim::captured_graph(*stream.capture));
    // The caller may keep these until its next call on the stream.
    if (dependencies != nullptr)
      *dependencies = reinterpret_cast<const cudaGraphNode_t*>(stream.frontier.data());
    stream.capture->edges.assign(stream.frontier.size(), {});
    if (edges != nullptr) *edges = stream.capture->edges.data();
    if (count != nullptr) *count = stream.frontier.size();
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges, size_t count,
                                                unsigned flags) {
  return locked_api([&] {
    Stream& stream = Streams::get().find(handle);
    require(flags == cudaStreamAddCaptureDependencies || flags == cudaStreamSetCaptureDependencies);
    require(stream.capture != nullptr, cudaErrorIllegalState);
    const sim::Capture& capture = sim::valid_capture(stream);
    require_plain(edges, count);
    const auto nodes = nodes_in(sim::captured_graph(capture), dependencies, count);
    if (flags == cudaStreamSetCaptureDependencies) stream.frontier.clear();
    sim::add_to_frontier(stream, nodes);
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api([&](Runtime&) {
    require(mode != nullptr && static_cast<unsigned>(*mode) <= cudaStreamCaptureModeRelaxed);
    *mode = sim::exchange_capture_mode(*mode);
    return cudaSuccess;
  });
}
