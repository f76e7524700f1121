// Pinned host memory: allocated here, or the program's own made known.
#include <map>
#include <mutex>

#include "sim/cudart/runtime.hpp"

using sim::api;
using sim::MemoryKind;
using sim::require;
using sim::Runtime;

namespace {

constexpr unsigned allocation_flags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned registration_flags = cudaHostRegisterPortable | cudaHostRegisterMapped |
                                        cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

// Flags by base address; memory of a unified address space is always mapped.
std::mutex mutex;
std::map<void*, unsigned>& all_flags() {
  static auto* const flags = new std::map<void*, unsigned>;
  return *flags;
}

sim::Allocation pinned(Runtime& runtime, void* pointer) {
  const auto found = runtime.memory.find(reinterpret_cast<std::uint64_t>(pointer));
  require(found && found->kind == MemoryKind::pinned);
  return *found;
}

bool is_ours(Runtime& runtime, const sim::Allocation& allocation) {
  return runtime.memory.is_reserved(allocation.base);
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

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(pointer != nullptr && (flags & ~allocation_flags) == 0);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    *pointer = runtime.memory.allocate_on(sim::current_device(), bytes, MemoryKind::pinned);
    require(*pointer != nullptr, cudaErrorMemoryAllocation);
    remember(*pointer, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, 0);
}

cudaError_t cudaFreeHost(void* pointer) {
  return api([&](Runtime& runtime) {
    if (pointer == nullptr) return cudaSuccess;
    const sim::Allocation allocation = pinned(runtime, pointer);
    require(allocation.base == reinterpret_cast<std::uint64_t>(pointer));
    require(is_ours(runtime, allocation));
    require(sim::wait_all_devices());
    require(runtime.memory.release(pointer));
    forget(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(pointer != nullptr && bytes != 0 && (flags & ~registration_flags) == 0);
    require(!runtime.memory.is_reserved(reinterpret_cast<std::uint64_t>(pointer)));
    require(runtime.memory.adopt(pointer, bytes, sim::current_device()),
            cudaErrorHostMemoryAlreadyRegistered);
    remember(pointer, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return api([&](Runtime& runtime) {
    require(pointer != nullptr);
    require(!runtime.memory.is_reserved(reinterpret_cast<std::uint64_t>(pointer)));
    require(sim::wait_all_devices());
    require(runtime.memory.disown(pointer), cudaErrorHostMemoryNotRegistered);
    forget(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(device != nullptr && flags == 0);
    pinned(runtime, host);
    *device = host;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return api([&](Runtime& runtime) {
    require(flags != nullptr);
    const sim::Allocation allocation = pinned(runtime, pointer);
    const std::lock_guard lock(mutex);
    *flags = all_flags()[reinterpret_cast<void*>(allocation.base)];
    return cudaSuccess;
  });
}
