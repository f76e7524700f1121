#include "sim/machine/heap.hpp"

#include "sim/machine/memory.hpp"

namespace aisp::sim {
namespace {

// A piece is a multiple of 16 bytes behind 16 bytes of the heap's own.
std::uint64_t charged(std::uint64_t bytes) { return (bytes + 15) / 16 * 16 + 16; }

}  // namespace

void* Heap::allocate(Memory& memory, int device, std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  was_used_ = true;
  if (bytes == 0 || bytes > limit_ || charged(bytes) > limit_ - used_) return nullptr;
  void* got = memory.allocate_on(device, bytes, MemoryKind::heap);
  if (got != nullptr) used_ += charged(bytes);
  return got;
}

bool Heap::release(Memory& memory, std::uint64_t address) {
  const auto found = memory.find(address);
  if (!found || found->base != address || found->kind != MemoryKind::heap) return false;
  const std::lock_guard lock(mutex_);
  if (!memory.release(reinterpret_cast<void*>(address))) return false;
  used_ -= charged(found->bytes);
  return true;
}

bool Heap::set_limit(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (was_used_) return false;
  limit_ = bytes;
  return true;
}

}  // namespace aisp::sim
