// Device and managed memory.
#include "sim/runtime/memory/allocate.hpp"

#include <algorithm>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::MemoryKind;
using sim::require;
using sim::Runtime;

namespace {

cudaError_t allocate(void** pointer, size_t bytes, MemoryKind kind) {
  require(pointer != nullptr);
  require(sim::forbid_during_capture());
  *pointer = nullptr;
  *pointer = sim::allocate_memory(bytes, kind);
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return api([&](Runtime&) { return allocate(pointer, bytes, MemoryKind::device); });
}

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return api([&](Runtime&) {
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    return allocate(pointer, bytes, MemoryKind::managed);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return api([&](Runtime&) {
    require(pitch != nullptr);
    *pitch = sim::pitch_of(width);
    return allocate(pointer, *pitch * height, MemoryKind::device);
  });
}

cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  return api([&](Runtime&) {
    require(pitched != nullptr);
    pitched->pitch = sim::pitch_of(extent.width);
    pitched->xsize = extent.width;
    pitched->ysize = extent.height;
    return allocate(&pitched->ptr, pitched->pitch * extent.height * extent.depth,
                    MemoryKind::device);
  });
}

// Waits for the device that the memory is of: work under way may still use it.
cudaError_t cudaFree(void* pointer) {
  return api([&](Runtime&) {
    require(sim::forbid_during_capture());
    if (pointer == nullptr) return cudaSuccess;
    require(sim::wait_device(sim::freeable(pointer).device));
    sim::release_memory(pointer);
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
