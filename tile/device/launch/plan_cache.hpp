// The cache of plans: of C++ calls without a plan of their own, of the C interface, and of
// functions compiled at run time. What a plan is found by is the problem (all its bits), the device
// and the stream.
//
// A plan with workspace belongs to one stream, and its workspace to plans of that stream alone, so
// that kernels which use it run one after the other. Two host threads may enqueue on one stream:
// what one call enqueues is not mixed with what another does. A plan without workspace only
// launches: it serves all streams of its device. A captured call gets a plan of its own, for its
// graph may run on any stream and at any time; the graph keeps it.
//
// A call that finds its plan makes two calls of the runtime, cudaStreamIsCapturing and
// cudaGetDevice, a third where the plan has workspace, cudaStreamGetId, and then the plan's own.
// It allocates nothing.
#pragma once

#include "tile/device/launch/captured_plans.hpp"
#include "tile/device/launch/last_used.hpp"
#include "tile/device/launch/plan_workspace.hpp"

namespace aisp::tile::device {

// A stream by its number. Handles do not name one: that of each thread has one handle for all of
// them, and one of a destroyed stream, whose kernels may still run, comes again. A stream under
// capture has no number: the runtime would end the capture.
class StreamNumber {
 public:
  explicit StreamNumber(cudaStream_t handle) : handle_(handle) {}
  unsigned long long get() {  // asks once
    if (!asked_) check_cuda(cudaStreamGetId(handle_, &number_), "id of the stream");
    asked_ = true;
    return number_;
  }

 private:
  cudaStream_t handle_;
  unsigned long long number_ = 0;
  bool asked_ = false;
};

// Whether plans of one kind that differ in addresses alone share their workspace. Those that write
// tables of addresses there have workspace of their own.
enum class WorkspaceSharing { by_shape, none };

// Never destroyed by its users: at the end of the program the runtime may be gone before it.
template <class Plan>
class PlanCache {
 public:
  explicit PlanCache(WorkspaceSharing sharing) : sharing_(sharing) {}

  // make(allocate) plans a problem that is not there yet. `device` is the current one.
  template <class Make>
  void run(const ProblemKey& key, int device, cudaStream_t stream, const Make& make) {
    ReleasedByGraphs::get().free();
    if (const cudaGraph_t graph = graph_under_capture(stream))
      return run_captured(stream, graph, make);
    Evicted evicted;  // freed behind the launch, when no kernel of theirs runs any more
    const EntryPtr entry = find_or_make(key, device, stream, make, evicted);
    std::unique_lock<std::mutex> lock;
    if (entry->workspace) lock = std::unique_lock(entry->workspace->enqueuing);
    entry->plan.run(stream);
  }
  template <class Make>
  void run(const ProblemKey& key, cudaStream_t stream, const Make& make) {
    int device = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    run(key, device, stream, make);
  }

  std::size_t size() {
    const std::lock_guard lock(mutex_);
    return plans_.size();
  }

 private:
  struct Entry {
    int device;
    unsigned long long stream;                 // of a plan with workspace
    std::shared_ptr<PlanWorkspace> workspace;  // null: there is none
    Plan plan;
  };
  using EntryPtr = std::shared_ptr<const Entry>;
  struct SharedWorkspace {
    int device;
    unsigned long long stream;
    std::weak_ptr<PlanWorkspace> workspace;
  };
  struct Evicted {
    typename LastUsed<EntryPtr>::Evicted entries{};
    ~Evicted() {
      if (entries.empty()) return;
      const BesideCapture beside;
      entries.clear();
    }
  };

  template <class Make>
  static void run_captured(cudaStream_t stream, cudaGraph_t graph, const Make& make) {
    const auto plan = [&] {
      const BesideCapture beside;
      return std::make_shared<const Plan>(make(Allocate{}));
    }();
    keep_with_graph(graph, plan);
    plan->run(stream);
  }

  template <class Make>
  EntryPtr find_or_make(const ProblemKey& key, int device, cudaStream_t handle, const Make& make,
                        Evicted& evicted) {
    StreamNumber stream(handle);
    const std::lock_guard lock(mutex_);
    const auto fits = [&](const EntryPtr& entry) {
      return entry->device == device && (!entry->workspace || entry->stream == stream.get());
    };
    if (const EntryPtr* found = plans_.find(key, fits)) return *found;
    const auto workspace = workspace_of(key, device, stream.get());
    const std::lock_guard planning(workspace->enqueuing);
    Plan plan = make(workspace->for_plan(handle));
    const bool works = !workspace->is_empty();
    if (works) keep_shared(key, device, stream.get(), workspace);
    const EntryPtr entry(
        new Entry{device, stream.get(), works ? workspace : nullptr, std::move(plan)});
    evicted.entries = plans_.add(key, entry);
    return entry;
  }

  bool shares(const ProblemKey& key) const {
    return sharing_ == WorkspaceSharing::by_shape && key.has_shape();
  }

  SharedWorkspace* find_shared(const ProblemKey& shape, int device, unsigned long long stream) {
    return workspaces_.find(shape, [&](const SharedWorkspace& one) {
      return one.device == device && one.stream == stream;
    });
  }

  // That of a plan of this shape, else a new one.
  std::shared_ptr<PlanWorkspace> workspace_of(const ProblemKey& key, int device,
                                              unsigned long long stream) {
    if (shares(key))
      if (const auto* found = find_shared(key.shape(), device, stream))
        if (auto kept = found->workspace.lock()) return kept;
    return std::make_shared<PlanWorkspace>();
  }

  void keep_shared(const ProblemKey& key, int device, unsigned long long stream,
                   const std::shared_ptr<PlanWorkspace>& workspace) {
    if (!shares(key)) return;
    const ProblemKey shape = key.shape();
    if (SharedWorkspace* const found = find_shared(shape, device, stream))
      found->workspace = workspace;
    else
      static_cast<void>(workspaces_.add(shape, {device, stream, workspace}));
  }

  const WorkspaceSharing sharing_;
  std::mutex mutex_;
  LastUsed<EntryPtr> plans_;
  LastUsed<SharedWorkspace> workspaces_;
};

}  // namespace aisp::tile::device
