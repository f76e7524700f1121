#include "sim/runtime/memory/allocate.hpp"

#include "sim/runtime/memory/advice.hpp"
#include "sim/runtime/memory/pointer.hpp"
#include "sim/runtime/memory/pool.hpp"
#include "sim/runtime/memory/shared_memory.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {

void* allocate_memory(std::size_t bytes, MemoryKind kind) {
  if (bytes == 0) return nullptr;
  if (watch::HostWatch* watch = host_watch()) watch->make_room(current_device(), bytes);
  void* memory = Runtime::get().memory.allocate_on(current_device(), bytes, kind);
  require(memory != nullptr, cudaErrorMemoryAllocation);
  return memory;
}

std::size_t pitch_of(std::size_t width) {
  constexpr std::size_t unit = 512;
  return (width + unit - 1) / unit * unit;
}

Allocation freeable(const void* pointer) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const auto found = Runtime::get().memory.find(address);
  require(found && found->base == address);
  require(found->kind == MemoryKind::device || found->kind == MemoryKind::managed);
  require(found->name.empty());  // a module's __managed__ variable is not the program's to free
  return *found;
}

void release_memory(void* pointer) {
  forget_in_pool(pointer);
  Memory& memory = Runtime::get().memory;
  const auto found = memory.find(reinterpret_cast<std::uint64_t>(pointer));
  if (found && found->kind == MemoryKind::managed) forget_advice(pointer, found->bytes);
  {
    const std::lock_guard lock(Runtime::get().mutex);
    stop_sharing(pointer);
  }
  require(memory.release(pointer));
}

void release_memory_of(int device) {
  Memory& memory = Runtime::get().memory;
  const auto table = memory.table();  // as it is before anything is released
  for (const Allocation& allocation : *table)
    if (allocation.device == device && allocation.name.empty() &&
        allocation.kind != MemoryKind::params) {
      forget_in_pool(reinterpret_cast<void*>(allocation.base));
      memory.release(reinterpret_cast<void*>(allocation.base));
    }
}

void require_managed(const void* pointer, std::size_t bytes) {
  require(require_device(pointer, bytes).kind == MemoryKind::managed);
}

bool is_location(const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      return location.id >= 0 && location.id < Runtime::get().model.devices;
    case cudaMemLocationTypeHost:
    case cudaMemLocationTypeHostNuma:
    case cudaMemLocationTypeHostNumaCurrent:
      return true;
    default:
      return false;
  }
}

}  // namespace aisp::sim
