// Plans that a call without a plan of its own keeps for its next time.
#pragma once

#include <list>
#include <mutex>

#include "tile/device/launch/tensor_map.hpp"

namespace aisp::tile::device {

// The last used first. Never destroyed by its users: at the end of the program the runtime may be
// gone before it.
template <class Problem, class Plan>
class KeptPlans {
 public:
  // `make` plans a problem that is not there yet.
  template <class Make>
  Plan find_or_make(const Problem& problem, cudaStream_t stream, const Make& make) {
    const std::lock_guard lock(mutex_);
    int device = 0;
    check_cuda(cudaGetDevice(&device), "cudaGetDevice");
    for (auto at = plans_.begin(); at != plans_.end(); ++at)
      if (at->device == device && at->stream == stream && at->problem == problem) {
        plans_.splice(plans_.begin(), plans_, at);
        return plans_.front().plan;
      }
    plans_.push_front({device, stream, problem, make(problem)});
    if (plans_.size() > most) plans_.pop_back();  // frees its memory when no kernel runs any more
    return plans_.front().plan;
  }

 private:
  struct Kept {
    int device;
    cudaStream_t stream;
    Problem problem;
    Plan plan;
  };
  static constexpr std::size_t most = 64;
  std::mutex mutex_;
  std::list<Kept> plans_;
};

}  // namespace aisp::tile::device
