// How a planned kernel is run by a call that knows nothing of plans. PyTorch calls the same layers
// again and again, each with tensors of its own: the plans of thousands of calls are kept, and
// those that differ in addresses alone share their workspace. A graph runs what was captured into
// it for as long as it likes: the plans of captured calls are kept for good.
#pragma once

#include <cuda_runtime_api.h>

#include <any>
#include <list>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "binding/c/problem_keys.hpp"
#include "tile/device/launch/plan_memory.hpp"

namespace aisp::binding {

// Whether the stream is being captured into a graph.
bool captured(cudaStream_t stream);

int current_device();

// Never destroyed: at the end of the program the runtime may be gone before them.
void keep_for_good(std::any plan);

// Device memory of plans that differ in addresses alone, and therefore use it alike; on one stream
// they run one after the other, and each leaves it as it was when it was made.
class Workspace {
 public:
  // The blocks of one plan, in the order in which it asks for them. What planning writes there must
  // not meet a kernel of another plan that still runs.
  tile::device::Allocate for_plan(cudaStream_t stream);

 private:
  struct Block {
    std::shared_ptr<void> memory;
    std::size_t bytes;
  };
  std::vector<Block> blocks_;
};

// Problems by their value, the last used first.
template <class Problem, class Value>
class ByProblem {
 public:
  Value* find(const Problem& problem, int device, cudaStream_t stream) {
    const auto [first, last] = places_.equal_range(hash_of(problem));
    for (auto at = first; at != last; ++at) {
      const auto entry = at->second;
      if (entry->device != device || entry->stream != stream || !(entry->problem == problem))
        continue;
      entries_.splice(entries_.begin(), entries_, entry);
      return &entry->value;
    }
    return nullptr;
  }
  Value& add(const Problem& problem, int device, cudaStream_t stream, Value value) {
    entries_.push_front({device, stream, problem, std::move(value)});
    places_.emplace(hash_of(problem), entries_.begin());
    if (entries_.size() > most_kept<Problem>) drop_last();
    return entries_.front().value;
  }

 private:
  struct Entry {
    int device;
    cudaStream_t stream;
    Problem problem;
    Value value;
  };
  using Place = typename std::list<Entry>::iterator;

  void drop_last() {
    const Place last = std::prev(entries_.end());
    const auto [first, end] = places_.equal_range(hash_of(last->problem));
    for (auto at = first; at != end; ++at)
      if (at->second == last) {
        places_.erase(at);
        break;
      }
    entries_.erase(last);  // frees its memory when no kernel runs any more
  }

  std::list<Entry> entries_;
  std::unordered_multimap<std::size_t, Place> places_;
};

// make(problem, allocate) plans, where addresses can be left out of the problem (problem_keys.hpp);
// else make(problem).
template <class Problem, class Make>
class PlanKeeper {
  static constexpr bool shares = requires(const Problem& problem) { anywhere(problem); };
  static auto made(const Make& make, const Problem& problem,
                   const tile::device::Allocate& allocate) {
    if constexpr (shares)
      return make(problem, allocate);
    else
      return make(problem);
  }
  using Plan = decltype(made(std::declval<Make>(), std::declval<Problem>(), {}));
  struct Kept {
    Plan plan;
    std::shared_ptr<Workspace> workspace;
  };

 public:
  static void run(const Problem& problem, cudaStream_t stream, const Make& make) {
    if (captured(stream)) {
      const Plan plan = made(make, problem, {});
      plan.run(stream);
      return keep_for_good(plan);
    }
    static auto* const keeper = new PlanKeeper;
    keeper->find_or_make(problem, stream, make).run(stream);
  }

 private:
  Plan find_or_make(const Problem& problem, cudaStream_t stream, const Make& make) {
    const int device = current_device();
    const std::lock_guard lock(mutex_);
    if (const Kept* kept = plans_.find(problem, device, stream)) return kept->plan;
    std::shared_ptr<Workspace> workspace;
    tile::device::Allocate allocate;
    if constexpr (shares) {
      workspace = workspace_of(anywhere(problem), device, stream);
      allocate = workspace->for_plan(stream);
    }
    return plans_.add(problem, device, stream, {made(make, problem, allocate), workspace}).plan;
  }
  std::shared_ptr<Workspace> workspace_of(const Problem& shape, int device, cudaStream_t stream) {
    std::weak_ptr<Workspace>* const found = workspaces_.find(shape, device, stream);
    if (found != nullptr)
      if (auto workspace = found->lock()) return workspace;
    auto workspace = std::make_shared<Workspace>();
    if (found != nullptr)
      *found = workspace;
    else
      workspaces_.add(shape, device, stream, workspace);
    return workspace;
  }

  std::mutex mutex_;
  ByProblem<Problem, Kept> plans_;
  ByProblem<Problem, std::weak_ptr<Workspace>> workspaces_;
};

template <class Problem, class Make>
void run_planned(const Problem& problem, cudaStream_t stream, const Make& make) {
  PlanKeeper<Problem, Make>::run(problem, stream, make);
}

}  // namespace aisp::binding
