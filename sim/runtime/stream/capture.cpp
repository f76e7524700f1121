#include "sim/runtime/stream/capture.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
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
  std::vector<GraphNode*> ends = capture.origin->frontier;
  ends.insert(ends.end(), capture.forgiven.begin(), capture.forgiven.end());
  std::vector<GraphNode*> nodes = capture.left_behind;
  for (const Stream* stream : capture.streams)
    nodes.insert(nodes.end(), stream->frontier.begin(), stream->frontier.end());
  return capture.sink->lead_to(nodes, ends);
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

cudaStreamCaptureMode exchange_capture_mode(cudaStreamCaptureMode mode) {
  return std::exchange(thread_mode, mode);
}

void begin_capture(Stream& stream, std::shared_ptr<CaptureSink> sink, cudaStreamCaptureMode mode) {
  require(static_cast<unsigned>(mode) <= cudaStreamCaptureModeRelaxed);
  require(!stream.legacy, cudaErrorStreamCaptureUnsupported);
  require(stream.capture == nullptr, cudaErrorIllegalState);
  auto capture = std::make_shared<Capture>();
  capture->id = next_id++;
  capture->sink = std::move(sink);
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = &stream;
  capture->streams.insert(&stream);
  stream.capture = capture;
  stream.frontier.clear();
  captures().push_back(std::move(capture));
}

std::shared_ptr<CaptureSink> end_capture(Stream& stream) {
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
  return capture->sink;
}

void leave_capture(Stream& stream) {
  const std::shared_ptr<Capture> capture = stream.capture;
  if (!capture) return;
  if (capture->origin == &stream) return finish(*capture);
  capture->left_behind.insert(capture->left_behind.end(), stream.frontier.begin(),
                              stream.frontier.end());
  capture->streams.erase(&stream);
}

cudaStreamCaptureStatus capture_status(const Stream& stream) {
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->valid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
}

Capture& valid_capture(const Stream& stream) {
  require(stream.capture->valid, cudaErrorStreamCaptureInvalidated);
  return *stream.capture;
}

void capture_work(Stream& stream, CapturedWork work) {
  Capture& capture = valid_capture(stream);
  stream.frontier = {capture.sink->add_captured(std::move(work), stream.frontier)};
}

void capture_task(Stream& stream, Task task) {
  std::visit(
      [&](auto& call) {
        if constexpr (requires { CapturedWork(std::move(call)); })
          capture_work(stream, CapturedWork(std::move(call)));
      },
      task.what);
}

void add_to_frontier(Stream& stream, const std::vector<GraphNode*>& nodes) {
  for (GraphNode* node : nodes)
    if (std::find(stream.frontier.begin(), stream.frontier.end(), node) == stream.frontier.end())
      stream.frontier.push_back(node);
}

}  // namespace aisp::sim
