#include "sim/runtime/memory/allocate.hpp"

#include "sim/runtime/memory/advice.hpp"
#include "sim/runtime/memory/graph_memory.hpp"
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
  require(!is_imported(found->base) || found->pooled);  // cudaIpcCloseMemHandle gives it back
  require(!is_graph_memory(pointer) || awaits_free(pointer));
  require(found->name.empty());  // a module's __managed__ variable is not the program's to free
  return *found;
}

namespace {

// What is known of an allocation besides that it is one.
void forget(const Allocation& allocation) {
  forget_in_pool(reinterpret_cast<void*>(allocation.base));
  if (allocation.kind == MemoryKind::managed) forget_advice(allocation.base, allocation.bytes);
  if (allocation.kind == MemoryKind::device) unshare_memory(allocation.base, allocation.bytes);
}

}  // namespace

void release_memory(void* pointer) {
  if (is_graph_memory(pointer)) {
    note_free(pointer);
    if (!free_graph_memory(pointer)) return;
  }
  Memory& memory = Runtime::get().memory;
  const auto base = reinterpret_cast<std::uint64_t>(pointer);
  if (const auto found = memory.find(base); found && found->base == base) forget(*found);
  require(memory.release(pointer));
}

void release_memory_of(int device) {
  Memory& memory = Runtime::get().memory;
  const auto table = memory.table();  // as it is before anything is released
  for (const Allocation& allocation : *table)
    if (allocation.device == device && allocation.name.empty() &&
        allocation.kind != MemoryKind::params) {
      forget(allocation);
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
