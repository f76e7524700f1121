// Tells the grid's observer, if it has one, what the acting asynchronous operation touches.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/machine/observer.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

class AsyncTrace {
 public:
  // `barrier`: where the operation's end is announced (shared::cluster address).
  explicit AsyncTrace(Block& block, std::uint32_t barrier = Observer::no_barrier)
      : observer_(block.grid->observer), cluster_(*block.cluster), barrier_(barrier) {}
  explicit operator bool() const { return observer_ != nullptr; }

  void tell(std::byte* at, std::uint64_t bytes, Access access) {
    observer_->async_access(cluster_, at, bytes, access, -1, barrier_);
  }

  // Pieces next to each other are told as one; flush() tells the last.
  void add(std::byte* at, std::uint64_t bytes, Access access) {
    if (bytes_ != 0 && access == access_) {
      if (at == at_ + bytes_) {
        bytes_ += bytes;
        return;
      }
      if (at + bytes == at_) {
        at_ = at;
        bytes_ += bytes;
        return;
      }
    }
    flush();
    at_ = at;
    bytes_ = bytes;
    access_ = access;
  }
  void flush() {
    if (bytes_ != 0) tell(at_, bytes_, access_);
    bytes_ = 0;
  }

 private:
  Observer* observer_;
  Cluster& cluster_;
  std::uint32_t barrier_;
  std::byte* at_ = nullptr;
  std::uint64_t bytes_ = 0;
  Access access_{};
};

}  // namespace aisp::sim
