#include "sim/cudart/entry.hpp"

using namespace aisp;

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
