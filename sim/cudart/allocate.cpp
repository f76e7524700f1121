// Device and managed memory.
#include <algorithm>

#include "sim/cudart/hazards.hpp"
#include "sim/cudart/memory_pool.hpp"
#include "sim/cudart/pointer.hpp"
#include "sim/cudart/runtime.hpp"

using sim::api;
using sim::MemoryKind;
using sim::require;
using sim::Runtime;

namespace {

constexpr size_t pitch_unit = 512;

cudaError_t allocate(Runtime& runtime, void** pointer, size_t bytes, MemoryKind kind) {
  require(pointer != nullptr);
  require(sim::forbid_during_capture());
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  if (sim::Hazards* hazards = sim::Hazards::get()) hazards->make_room(sim::current_device(), bytes);
  *pointer = runtime.memory.allocate_on(sim::current_device(), bytes, kind);
  return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

size_t round_up(size_t value, size_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return api(
      [&](Runtime& runtime) { return allocate(runtime, pointer, bytes, MemoryKind::device); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    return allocate(runtime, pointer, bytes, MemoryKind::managed);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return api([&](Runtime& runtime) {
    require(pitch != nullptr);
    *pitch = round_up(width, pitch_unit);
    return allocate(runtime, pointer, *pitch * height, MemoryKind::device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return api([&](Runtime& runtime) {
    require(pitched != nullptr);
    pitched->pitch = round_up(extent.width, pitch_unit);
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return allocate(runtime, &pitched->ptr, pitched->pitch * extent.height * extent.depth,
                    MemoryKind::device);
  });
}

// Waits for the device that the memory is of: work under way may still use it.
cudaError_t cudaFree(void* pointer) {
  return api([&](Runtime& runtime) {
    require(sim::forbid_during_capture());
    if (pointer == nullptr) return cudaSuccess;
    const auto found = runtime.memory.find(reinterpret_cast<std::uint64_t>(pointer));
    require(found && found->base == reinterpret_cast<std::uint64_t>(pointer));
    require(found->kind == MemoryKind::device || found->kind == MemoryKind::managed);
    require(found->name.empty());  // a module's __managed__ variable is not the program's to free
    require(sim::wait_device(found->device));
    sim::forget_in_pool(pointer);
    require(runtime.memory.release(pointer));
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* free, size_t* total) {
  return api([&](Runtime& runtime) {
    require(free != nullptr && total != nullptr);
    const sim::Memory& memory = runtime.memory;
    *free = static_cast<size_t>(
        std::max<std::int64_t>(0, memory.capacity() - memory.used(sim::current_device())));
    *total = static_cast<size_t>(runtime.model.memory_bytes);
    return cudaSuccess;
  });
}

namespace {

bool is_place(const cudaMemLocation& location) {
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

// Managed memory lies where host and device both reach it: hints are judged and have no effect.
void require_managed(const void* pointer, size_t bytes) {
  require(sim::require_device(pointer, bytes).kind == MemoryKind::managed);
}

}  // namespace

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location,
                                 unsigned flags, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(flags == 0 && bytes != 0);
    require_managed(pointer, bytes);
    require(is_place(location), cudaErrorInvalidDevice);
    return sim::check_stream(stream);
  });
}

cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return api([&](Runtime&) {
    require(advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy);
    require_managed(pointer, bytes);
    const bool about_reading =
        advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly;
    require(about_reading || is_place(location), cudaErrorInvalidDevice);
    return cudaSuccess;
  });
}
