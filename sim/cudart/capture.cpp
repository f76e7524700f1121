#include "sim/cudart/capture.hpp"

#include <algorithm>

#include "sim/cudart/event.hpp"

namespace sim {
namespace {

unsigned long long next_id = 1;
thread_local cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

std::vector<std::shared_ptr<Capture>>& captures() {
  static auto* const all = new std::vector<std::shared_ptr<Capture>>;
  return *all;
}

void finish(Capture& capture) {
  capture.ended = true;
  for (Stream* stream : std::set(capture.streams)) {
    stream->frontier.clear();
    stream->capture = nullptr;
  }
  std::erase_if(captures(), [&](const auto& known) { return known.get() == &capture; });
}

// Every node that some other stream of the capture ended with has been joined to the origin.
bool joined(const Capture& capture) {
  std::set<const GraphNode*> seen;
  std::vector<const GraphNode*> open(capture.origin->frontier.begin(),
                                     capture.origin->frontier.end());
  open.insert(open.end(), capture.forgiven.begin(), capture.forgiven.end());
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    for (const Edge& edge : node->before) open.push_back(edge.node);
  }
  const auto known = [&](const GraphNode* node) { return seen.contains(node); };
  const auto all_known = [&](const auto& nodes) {
    return std::all_of(nodes.begin(), nodes.end(), known);
  };
  return all_known(capture.left_behind) &&
         std::all_of(capture.streams.begin(), capture.streams.end(),
                     [&](const Stream* stream) { return all_known(stream->frontier); });
}

bool concerns_this_thread(const Capture& capture) {
  if (thread_mode == cudaStreamCaptureModeRelaxed) return false;
  if (capture.thread == std::this_thread::get_id() && capture.mode != cudaStreamCaptureModeRelaxed)
    return true;
  return thread_mode == cudaStreamCaptureModeGlobal && capture.mode == cudaStreamCaptureModeGlobal;
}

// Invalidates the captures that `which` names; whether there were any.
template <class Which>
bool invalidate(Which which) {
  bool any = false;
  for (const auto& capture : captures())
    if (which(*capture)) {
      capture->valid = false;
      any = true;
    }
  return any;
}

}  // namespace

void require_not_capturing(Stream& stream) {
  if (!stream.capture) return;
  stream.capture->valid = false;
  throw ApiError{cudaErrorStreamCaptureUnsupported};
}

void require_no_implicit_capture(const Stream& stream, bool harmless) {
  if (!stream.legacy) return;
  bool any = false;
  for (const auto& capture : captures()) {
    const bool blocking =
        std::any_of(capture->streams.begin(), capture->streams.end(), [&](const Stream* member) {
          return member->blocking() && member->device == stream.device;
        });
    if (!blocking) continue;
    any = true;
    if (!harmless) capture->valid = false;
  }
  require(!any, cudaErrorStreamCaptureImplicit);
}

cudaError_t forbid_while_capturing() {
  const std::lock_guard lock(Runtime::get().mutex);
  return invalidate([](const Capture&) { return true; }) ? cudaErrorStreamCaptureUnsupported
                                                         : cudaSuccess;
}

cudaError_t forbid_during_capture() {
  const std::lock_guard lock(Runtime::get().mutex);
  return invalidate(concerns_this_thread) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}

void begin_capture(Stream& stream, std::shared_ptr<Graph> graph, cudaStreamCaptureMode mode) {
  require(static_cast<unsigned>(mode) <= cudaStreamCaptureModeRelaxed);
  require(!stream.legacy, cudaErrorStreamCaptureUnsupported);
  require(stream.capture == nullptr, cudaErrorIllegalState);
  auto capture = std::make_shared<Capture>();
  capture->id = next_id++;
  capture->graph = std::move(graph);
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = &stream;
  capture->streams.insert(&stream);
  stream.capture = capture;
  stream.frontier.clear();
  captures().push_back(std::move(capture));
}

std::shared_ptr<Graph> end_capture(Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture;
  require(capture != nullptr, cudaErrorIllegalState);
  if (capture->origin != &stream) {
    capture->valid = false;
    throw ApiError{cudaErrorStreamCaptureUnmatched};
  }
  const bool all_joined = joined(*capture);
  finish(*capture);
  require(capture->mode == cudaStreamCaptureModeRelaxed ||
              capture->thread == std::this_thread::get_id(),
          cudaErrorStreamCaptureWrongThread);
  require(capture->valid, cudaErrorStreamCaptureInvalidated);
  require(all_joined, cudaErrorStreamCaptureUnjoined);
  return capture->graph;
}

void leave_capture(Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return;
  if (capture->origin == &stream) return finish(*capture);
  capture->left_behind.insert(capture->left_behind.end(), stream.frontier.begin(),
                              stream.frontier.end());
  capture->streams.erase(&stream);
}

void capture_work(Stream& stream, NodeWork work) {
  Capture& capture = *stream.capture;
  require(capture.valid, cudaErrorStreamCaptureInvalidated);
  stream.frontier = {&capture.graph->add(std::move(work), stream.frontier)};
}

void capture_task(Stream& stream, Task task) {
  std::visit(
      [&](auto& call) {
        if constexpr (requires { NodeWork(std::move(call)); })
          capture_work(stream, NodeWork(std::move(call)));
      },
      task.what);
}

void join_capture(Stream& stream, const Event& event, bool dropped) {
  if (stream.capture && !event.capture && !event.mark) return;  // never recorded: nothing to await
  if (stream.capture) {
    require(stream.capture->valid, cudaErrorStreamCaptureInvalidated);
    const auto fail = [&](cudaError_t error) {
      stream.capture->valid = false;
      throw ApiError{error};
    };
    if (!event.capture) fail(cudaErrorStreamCaptureIsolation);
    if (!event.capture->usable()) fail(cudaErrorInvalidValue);
    if (event.capture != stream.capture) {
      event.capture->valid = false;
      fail(cudaErrorStreamCaptureMerge);
    }
  }
  require(event.capture->usable());
  if (stream.legacy) {
    event.capture->valid = false;
    throw ApiError{cudaErrorStreamCaptureImplicit};
  }
  stream.capture = event.capture;
  stream.capture->streams.insert(&stream);
  if (dropped) {
    auto& forgiven = stream.capture->forgiven;
    forgiven.insert(forgiven.end(), event.nodes.begin(), event.nodes.end());
    return;
  }
  for (GraphNode* node : event.nodes)
    if (std::find(stream.frontier.begin(), stream.frontier.end(), node) == stream.frontier.end())
      stream.frontier.push_back(node);
}

}  // namespace sim

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return sim::api([&](sim::Runtime&) {
    sim::require(mode != nullptr && static_cast<unsigned>(*mode) <= cudaStreamCaptureModeRelaxed);
    std::swap(*mode, sim::thread_mode);
    return cudaSuccess;
  });
}
