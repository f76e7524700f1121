// Pinned host memory: allocated here, or the program's own made known.
#include "sim/runtime/memory/host_memory.hpp"

#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::require;
using sim::Runtime;

namespace {

constexpr unsigned allocation_flags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned registration_flags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                        cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

}  // namespace

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return api([&](Runtime&) {
    require(pointer != nullptr && (flags & ~allocation_flags) == 0);
    *pointer = nullptr;
    if (bytes != 0) *pointer = sim::allocate_pinned(bytes, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}

cudaError_t cudaFreeHost(void* pointer) {
  return api([&](Runtime&) {
    if (pointer == nullptr) return cudaSuccess;
    sim::require_own_pinned(pointer);
    require(sim::wait_all_devices());
    sim::release_pinned(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return api([&](Runtime&) {
    require(pointer != nullptr && bytes != 0 && (flags & ~registration_flags) == 0);
    sim::require_program_memory(pointer);
    sim::adopt_pinned(pointer, bytes, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api([&](Runtime&) {
    require(pointer != nullptr);
    sim::require_program_memory(pointer);
    require(sim::wait_all_devices());
    sim::disown_pinned(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return api([&](Runtime&) {
    require(device != nullptr && flags == 0);
    sim::pinned_at(host);
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return api([&](Runtime&) {
    require(flags != nullptr);
    *flags = sim::pinned_flags(pointer);
    return cudaSuccess;
  });
}
