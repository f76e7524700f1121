#include "sim/cudart/pointer.hpp"

#include "sim/cudart/runtime.hpp"

namespace sim {

std::optional<Allocation> judge_range(const void* pointer, std::size_t bytes) {
  require(pointer != nullptr);
  const Memory& memory = Runtime::get().memory;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const auto allocation = memory.find(address);
  if (!allocation) {
    require(!memory.is_reserved(address));
    return std::nullopt;
  }
  require(bytes <= allocation->end() - address);
  return allocation;
}

Allocation require_device(const void* pointer, std::size_t bytes) {
  const auto allocation = judge_range(pointer, bytes);
  require(allocation.has_value());
  return *allocation;
}

std::size_t extent_of(std::size_t width, std::size_t height, std::size_t depth, std::size_t pitch,
                      std::size_t plane) {
  if (width == 0 || height == 0 || depth == 0) return 0;
  return (depth - 1) * plane + (height - 1) * pitch + width;
}

}  // namespace sim

using sim::api_always;
using sim::require;
using sim::Runtime;

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api_always([&](Runtime& runtime) {
    require(attributes != nullptr);
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    attributes->hostPointer = const_cast<void*>(pointer);
    const auto found = runtime.memory.find(reinterpret_cast<std::uint64_t>(pointer));
    if (!found) return cudaSuccess;
    attributes->device = found->device;
    attributes->devicePointer = const_cast<void*>(pointer);
    switch (found->kind) {
      case sim::MemoryKind::pinned:
        attributes->type = cudaMemoryTypeHost;
        break;
      case sim::MemoryKind::managed:
        attributes->type = cudaMemoryTypeManaged;
        break;
      default:
        attributes->type = cudaMemoryTypeDevice;
        attributes->hostPointer = nullptr;
    }
    return cudaSuccess;
  });
}
