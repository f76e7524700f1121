// Memory that a context allocates, and the host's that devices reach.
#include <utility>

#include "sim/cuda/module_store.hpp"
#include "sim/runtime/memory/allocate.hpp"

using namespace aisp;

using namespace sim::driver;
using sim::Runtime;

namespace {

// The driver has no allocation of nothing.
template <class Allocate>
CUresult allocate_owned(CUdeviceptr* address, size_t bytes, Allocate allocate) {
  return in_context([&] {
    demand(address != nullptr && bytes != 0);
    void* memory = nullptr;
    demand(allocate(&memory));
    own_memory(memory);
    *address = address_of(memory);
  });
}

}  // namespace

CUresult cuMemAlloc_v2(CUdeviceptr* address, size_t bytes) {
  return allocate_owned(address, bytes, [&](void** memory) { return cudaMalloc(memory, bytes); });
}

CUresult cuMemAllocManaged(CUdeviceptr* address, size_t bytes, unsigned flags) {
  return allocate_owned(address, bytes,
                        [&](void** memory) { return cudaMallocManaged(memory, bytes, flags); });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr* address, size_t* pitch, size_t width, size_t height,
                            unsigned element) {
  if (element != 4 && element != 8 && element != 16) return CUDA_ERROR_INVALID_VALUE;
  return allocate_owned(address, width * height, [&](void** memory) {
    return cudaMallocPitch(memory, pitch, width, height);
  });
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  return in_context([&] {
    demand(cudaFree(pointer_of(address)));
    disown_memory(pointer_of(address));
  });
}

CUresult cuMemGetInfo_v2(size_t* free, size_t* total) {
  return in_context([&] { return cudaMemGetInfo(free, total); });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, size_t* bytes, CUdeviceptr address) {
  return in_context([&] {
    const auto found = Runtime::get().memory.find(address);
    demand(found.has_value(), CUDA_ERROR_NOT_FOUND);
    if (base != nullptr) *base = found->base;
    if (bytes != nullptr) *bytes = found->bytes;
  });
}

CUresult cuMemHostAlloc(void** memory, size_t bytes, unsigned flags) {
  return in_context([&] {
    demand(memory != nullptr && bytes != 0);
    return cudaHostAlloc(memory, bytes, flags);
  });
}

CUresult cuMemAllocHost_v2(void** memory, size_t bytes) { return cuMemHostAlloc(memory, bytes, 0); }

CUresult cuMemFreeHost(void* memory) {
  return in_context([&] {
    demand(memory != nullptr);
    return cudaFreeHost(memory);
  });
}

CUresult cuMemHostRegister_v2(void* memory, size_t bytes, unsigned flags) {
  return in_context([&] { return cudaHostRegister(memory, bytes, flags); });
}

CUresult cuMemHostUnregister(void* memory) {
  return in_context([&] { return cudaHostUnregister(memory); });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr* address, void* host, unsigned flags) {
  return in_context([&] {
    demand(address != nullptr);
    void* device = nullptr;
    demand(cudaHostGetDevicePointer(&device, host, flags));
    *address = address_of(device);
  });
}

CUresult cuMemHostGetFlags(unsigned* flags, void* host) {
  return in_context([&] { return cudaHostGetFlags(flags, host); });
}

static_assert(sizeof(CUmemLocation) == sizeof(cudaMemLocation));

CUresult cuMemPrefetchAsync_v2(CUdeviceptr address, size_t bytes, CUmemLocation location,
                               unsigned flags, CUstream stream) {
  return in_context([&] {
    return cudaMemPrefetchAsync(pointer_of(address), bytes, *same<cudaMemLocation>(&location),
                                flags, stream);
  });
}

CUresult cuMemPrefetchAsync(CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  const CUmemLocation location = device == CU_DEVICE_CPU
                                     ? CUmemLocation{CU_MEM_LOCATION_TYPE_HOST, {0}}
                                     : CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  return cuMemPrefetchAsync_v2(address, bytes, location, 0, stream);
}

CUresult cuMemAdvise_v2(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                        CUmemLocation location) {
  return in_context([&] {
    return cudaMemAdvise(pointer_of(address), bytes, static_cast<cudaMemoryAdvise>(advice),
                         *same<cudaMemLocation>(&location));
  });
}

CUresult cuMemAdvise(CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device) {
  const CUmemLocation location = device == CU_DEVICE_CPU
                                     ? CUmemLocation{CU_MEM_LOCATION_TYPE_HOST, {0}}
                                     : CUmemLocation{CU_MEM_LOCATION_TYPE_DEVICE, {device}};
  return cuMemAdvise_v2(address, bytes, advice, location);
}

CUresult cuMemRangeGetAttribute(void* value, size_t value_bytes, CUmem_range_attribute attribute,
                                CUdeviceptr address, size_t bytes) {
  return in_context([&] {
    return cudaMemRangeGetAttribute(value, value_bytes,
                                    static_cast<cudaMemRangeAttribute>(attribute),
                                    pointer_of(address), bytes);
  });
}

CUresult cuMemRangeGetAttributes(void** values, size_t* value_bytes,
                                 CUmem_range_attribute* attributes, size_t count,
                                 CUdeviceptr address, size_t bytes) {
  return in_context([&] {
    return cudaMemRangeGetAttributes(values, value_bytes, same<cudaMemRangeAttribute>(attributes),
                                     count, pointer_of(address), bytes);
  });
}
