// Plans that calls without a plan of their own keep for their next time: of C++, of C and Python,
// and of functions compiled at run time.
//
// A plan of the cache belongs to one stream, and its workspace to plans of that stream alone, so
// that kernels which use it run one after the other. Two host threads may enqueue on one stream:
// what one call enqueues is not mixed with what another does. A captured call gets a plan of its
// own, for its graph may run on any stream and at any time; the graph keeps it.
#pragma once

#include <bit>
#include <cstdint>
#include <list>
#include <unordered_map>

#include "tile/device/launch/captured_plans.hpp"

namespace aisp::tile::device {

// By which a problem is found again. Problems of another hash are others: of a factor it has the
// bits, for 0 and -0 are equal numbers and give zeros of different signs. Keys with `anywhere`, the
// problem without its addresses, let plans that differ in addresses alone share a workspace.
template <class Problem>
struct WholeProblem {
  static constexpr std::size_t most = 64;  // plans that are kept
  static std::size_t hash(const Problem& problem) {
    if constexpr (requires { problem.alpha; })
      return std::bit_cast<std::uint32_t>(problem.alpha);
    else
      return 0;
  }
};

// Handles do not name a stream: that of each thread has one handle for all of them, and one of a
// destroyed stream, whose kernels may still run, comes again. A stream under capture has none: the
// runtime would end the capture.
struct StreamOfDevice {
  int device = 0;
  unsigned long long stream = 0;

  static StreamOfDevice of(cudaStream_t handle) {
    StreamOfDevice found;
    check_cuda(cudaGetDevice(&found.device), "cudaGetDevice");
    check_cuda(cudaStreamGetId(handle, &found.stream), "id of the stream");
    return found;
  }
  bool operator==(const StreamOfDevice&) const = default;
};

// Device memory of plans that use it alike, and leave it as it was when it was made.
class Workspace {
 public:
  std::mutex enqueuing;  // held while a call enqueues kernels that use it, or plans in it

  // The blocks of one plan, in the order in which it asks for them. What planning writes there must
  // not meet a kernel of another plan that still runs.
  Allocate for_plan(cudaStream_t stream) {
    if (!blocks_.empty()) {
      const BesideCapture beside;
      check_cuda(cudaStreamSynchronize(stream), "kernels before a plan");
    }
    return [this, next = std::make_shared<std::size_t>(0)](std::size_t bytes) -> void* {
      const std::size_t at = (*next)++;  // of all copies
      if (at == blocks_.size()) {
        PlanMemory memory;
        memory.get(bytes);
        blocks_.push_back({memory.take().front(), bytes});
      } else if (blocks_[at].bytes != bytes) {
        base::refuse(base::Exit::environment, "plans of one shape ask for ", blocks_[at].bytes,
                     " and ", bytes, " bytes of workspace");
      }
      return blocks_[at].memory.get();
    };
  }

 private:
  struct Block {
    std::shared_ptr<void> memory;
    std::size_t bytes;
  };
  std::vector<Block> blocks_;
};

// Problems of streams by their value, the last used first.
template <class Problem, class Value, class Keys>
class ByProblem {
 public:
  Value* find(const Problem& problem, const StreamOfDevice& stream) {
    const auto [first, last] = places_.equal_range(Keys::hash(problem));
    for (auto at = first; at != last; ++at) {
      const auto entry = at->second;
      if (!(entry->stream == stream) || !(entry->problem == problem)) continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return &entry->value;
    }
    return nullptr;
  }
  // Gives back what there is no room for any more.
  [[nodiscard]] Value add(const Problem& problem, const StreamOfDevice& stream, Value value) {
    entries_.push_front({stream, problem, std::move(value)});
    places_.emplace(Keys::hash(problem), entries_.begin());
    return entries_.size() > Keys::most ? drop_last() : Value{};
  }

 private:
  struct Entry {
    StreamOfDevice stream;
    Problem problem;
    Value value;
  };
  using Place = typename std::list<Entry>::iterator;

  Value drop_last() {
    const Place last = std::prev(entries_.end());
    const auto [first, end] = places_.equal_range(Keys::hash(last->problem));
    for (auto at = first; at != end; ++at)
      if (at->second == last) {
        places_.erase(at);
        break;
      }
    Value value = std::move(last->value);
    entries_.erase(last);
    return value;
  }

  std::list<Entry> entries_;
  std::unordered_multimap<std::size_t, Place> places_;
};

// Never destroyed by its users: at the end of the program the runtime may be gone before it.
template <class Problem, class Plan, class Keys = WholeProblem<Problem>>
class PlanCache {
  static constexpr bool shares = requires(const Problem& problem) { Keys::anywhere(problem); };

 public:
  // make(problem, allocate) plans a problem that is not there yet.
  template <class Make>
  void run(const Problem& problem, cudaStream_t stream, const Make& make) {
    ReleasedByGraphs::get().free();
    if (const cudaGraph_t graph = graph_under_capture(stream))
      return run_captured(problem, stream, graph, make);
    Evicted evicted;  // freed behind the launch, when no kernel of theirs runs any more
    const auto entry = find_or_make(problem, stream, make, evicted);
    const std::lock_guard lock(entry->workspace->enqueuing);
    entry->plan.run(stream);
  }

 private:
  struct Entry {
    Plan plan;
    std::shared_ptr<Workspace> workspace;
  };
  struct Evicted {
    std::shared_ptr<Entry> entry;
    ~Evicted() {
      if (entry == nullptr) return;
      const BesideCapture beside;
      entry.reset();
    }
  };

  template <class Make>
  static void run_captured(const Problem& problem, cudaStream_t stream, cudaGraph_t graph,
                           const Make& make) {
    const auto plan = [&] {
      const BesideCapture beside;
      return std::make_shared<const Plan>(make(problem, Allocate{}));
    }();
    keep_with_graph(graph, plan);
    plan->run(stream);
  }

  template <class Make>
  std::shared_ptr<Entry> find_or_make(const Problem& problem, cudaStream_t handle, const Make& make,
                                      Evicted& evicted) {
    const auto stream = StreamOfDevice::of(handle);
    const std::lock_guard lock(mutex_);
    if (const auto* found = plans_.find(problem, stream)) return *found;
    const auto workspace = workspace_of(problem, stream);
    const std::lock_guard planning(workspace->enqueuing);
    Allocate allocate;
    if constexpr (shares) allocate = workspace->for_plan(handle);
    const std::shared_ptr<Entry> entry(new Entry{make(problem, allocate), workspace});
    evicted.entry = plans_.add(problem, stream, entry);
    return entry;
  }

  std::shared_ptr<Workspace> workspace_of(const Problem& problem, const StreamOfDevice& stream) {
    auto workspace = std::make_shared<Workspace>();
    if constexpr (shares) {
      const Problem shape = Keys::anywhere(problem);
      if (std::weak_ptr<Workspace>* const found = workspaces_.find(shape, stream)) {
        if (auto kept = found->lock()) return kept;
        *found = workspace;
      } else {
        static_cast<void>(workspaces_.add(shape, stream, workspace));
      }
    }
    return workspace;
  }

  std::mutex mutex_;
  ByProblem<Problem, std::shared_ptr<Entry>, Keys> plans_;
  ByProblem<Problem, std::weak_ptr<Workspace>, Keys> workspaces_;
};

}  // namespace aisp::tile::device
