#include "sim/machine/heap.hpp"

namespace aisp::sim {
namespace {

// A piece is a multiple of 16 bytes behind 16 bytes of the heap's own.
std::uint64_t charged(std::uint64_t bytes) { return (bytes + 15) / 16 * 16 + 16; }

}  // namespace

bool Heap::take(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  was_used_ = true;
  if (bytes > limit_ || charged(bytes) > limit_ - used_) return false;
  used_ += charged(bytes);
  return true;
}

void Heap::give_back(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  used_ -= charged(bytes);
}

bool Heap::set_limit(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (was_used_) return false;
  limit_ = bytes;
  return true;
}

}  // namespace aisp::sim
