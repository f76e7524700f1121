// What a captured call uses lives as long as the graph that it was captured into, its clones and
// its executable graphs do: the graph holds a reference to it, a CUDA user object.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "tile/device/launch/plan_memory.hpp"

namespace aisp::tile::device {

using Kept = std::shared_ptr<const void>;

// The graph that the stream is being captured into; null where it is not captured.
inline cudaGraph_t graph_under_capture(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check_cuda(cudaStreamIsCapturing(stream, &status), "capture status of the stream");
  if (status == cudaStreamCaptureStatusNone) return nullptr;
  cudaGraph_t graph = nullptr;
  if (status == cudaStreamCaptureStatusActive)
    check_cuda(
        cudaStreamGetCaptureInfo(stream, &status, nullptr, &graph, nullptr, nullptr, nullptr),
        "graph of the capture");
  if (graph == nullptr)
    base::refuse(base::Exit::environment,
                 "the capture of the stream has failed; end it and begin another");
  return graph;
}

// A graph that goes may not call the CUDA runtime: what it held is put here, and freed by the next
// call that has a plan. Never destroyed: graphs may go after everything else.
class ReleasedByGraphs {
 public:
  static ReleasedByGraphs& get() {
    static auto* const all = new ReleasedByGraphs;
    return *all;
  }
  void add(Kept one) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(one));
    some_ = true;
  }
  void free() {
    if (!some_.load(std::memory_order_relaxed)) return;
    std::vector<Kept> all;
    {
      const std::lock_guard lock(mutex_);
      all.swap(waiting_);
      some_ = false;
    }
    const BesideCapture beside;
    all.clear();
  }

 private:
  std::atomic<bool> some_ = false;
  std::mutex mutex_;
  std::vector<Kept> waiting_;
};

namespace detail {

inline bool retain_by_graph(cudaGraph_t graph, std::unique_ptr<Kept>& what) {
  const auto release = [](void* data) {
    const std::unique_ptr<Kept> gone(static_cast<Kept*>(data));
    ReleasedByGraphs::get().add(std::move(*gone));
  };
  cudaUserObject_t object = nullptr;
  if (cudaUserObjectCreate(&object, what.get(), release, 1, cudaUserObjectNoDestructorSync) !=
      cudaSuccess)
    return false;
  Kept* const data = what.release();  // from here on the object's
  if (cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove) == cudaSuccess)
    return true;
  what = std::make_unique<Kept>(*data);  // the release below gives up the object's own
  cudaUserObjectRelease(object, 1);
  return false;
}

}  // namespace detail

// For good where the graph cannot hold it: too long is right, too short is not.
inline void keep_with_graph(cudaGraph_t graph, Kept what) {
  auto held = std::make_unique<Kept>(std::move(what));
  if (detail::retain_by_graph(graph, held)) return;
  static_cast<void>(cudaGetLastError());
  static_cast<void>(held.release());
}

}  // namespace aisp::tile::device
