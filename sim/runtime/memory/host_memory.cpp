#include "sim/runtime/memory/host_memory.hpp"

#include <map>
#include <mutex>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

// Flags by base address; memory of a unified address space is always mapped.
std::mutex mutex;
std::map<void*, unsigned>& all_flags() {
  static auto* const flags = new std::map<void*, unsigned>;
  return *flags;
}

void remember(void* pointer, unsigned flags) {
  const std::lock_guard lock(mutex);
  all_flags()[pointer] = flags | cudaHostAllocMapped;
}

void forget(void* pointer) {
  const std::lock_guard lock(mutex);
  all_flags().erase(pointer);
}

}  // namespace

void* allocate_pinned(std::size_t bytes, unsigned flags) {
  void* memory = Runtime::get().memory.allocate_on(current_device(), bytes, MemoryKind::pinned);
  require(memory != nullptr, cudaErrorMemoryAllocation);
  remember(memory, flags);
  return memory;
}

void adopt_pinned(void* pointer, std::size_t bytes, unsigned flags) {
  require(Runtime::get().memory.adopt(pointer, bytes, current_device()),
          cudaErrorHostMemoryAlreadyRegistered);
  remember(pointer, flags);
}

void release_pinned(void* pointer) {
  require(Runtime::get().memory.release(pointer));
  forget(pointer);
}

void disown_pinned(void* pointer) {
  require(Runtime::get().memory.disown(pointer), cudaErrorHostMemoryNotRegistered);
  forget(pointer);
}

Allocation pinned_at(const void* pointer) {
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(pointer));
  require(found && found->kind == MemoryKind::pinned);
  return *found;
}

void require_own_pinned(void* pointer) {
  const Allocation allocation = pinned_at(pointer);
  require(allocation.base == reinterpret_cast<std::uint64_t>(pointer));
  require(Runtime::get().memory.is_reserved(allocation.base));
}

void require_program_memory(void* pointer) {
  require(!Runtime::get().memory.is_reserved(reinterpret_cast<std::uint64_t>(pointer)));
}

unsigned pinned_flags(const void* pointer) {
  const Allocation allocation = pinned_at(pointer);
  const std::lock_guard lock(mutex);
  return all_flags()[reinterpret_cast<void*>(allocation.base)];
}

}  // namespace aisp::sim
