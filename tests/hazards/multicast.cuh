// A multicast object of two devices for planted bugs: memory of each, and the address of both. The
// driver's functions are asked for by name, as the programs are linked with the runtime alone.
#pragma once

#include <cuda.h>

#include "tests/hazards/hazard.hpp"

namespace multicast {

template <class Function>
Function* driver(const char* name) {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status{};
  hazard::require(cudaGetDriverEntryPointByVersion(name, &found, 12010, cudaEnableDefault, &status),
                  name);
  return reinterpret_cast<Function*>(found);
}
#define DRIVER(name, ...)                                                                 \
  hazard::require(::multicast::driver<decltype(name)>(#name)(__VA_ARGS__) == CUDA_SUCCESS \
                      ? cudaSuccess                                                       \
                      : cudaErrorUnknown,                                                 \
                  #name)

constexpr int devices = 2;

// Lives as long as the program.
struct Team {
  CUdeviceptr own[devices] = {}, all = 0;
  std::size_t bytes = 0;

  Team() {
    CUmulticastObjectProp properties{};
    properties.numDevices = devices;
    DRIVER(cuMulticastGetGranularity, &bytes, &properties, CU_MULTICAST_GRANULARITY_MINIMUM);
    properties.size = bytes;
    CUmemGenericAllocationHandle object;
    DRIVER(cuMulticastCreate, &object, &properties);
    for (int device = 0; device < devices; ++device) DRIVER(cuMulticastAddDevice, object, device);
    for (int device = 0; device < devices; ++device) {
      CUmemAllocationProp memory{};
      memory.type = CU_MEM_ALLOCATION_TYPE_PINNED;
      memory.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
      memory.location.id = device;
      CUmemGenericAllocationHandle handle;
      DRIVER(cuMemCreate, &handle, bytes, &memory, 0);
      map(own[device], handle);
      DRIVER(cuMulticastBindMem, object, 0, handle, 0, bytes, 0);
    }
    map(all, object);
  }

 private:
  void map(CUdeviceptr& address, CUmemGenericAllocationHandle handle) const {
    DRIVER(cuMemAddressReserve, &address, bytes, 0, 0, 0);
    DRIVER(cuMemMap, address, bytes, 0, handle, 0);
    CUmemAccessDesc access[devices] = {};
    for (int device = 0; device < devices; ++device) {
      access[device].location.type = CU_MEM_LOCATION_TYPE_DEVICE;
      access[device].location.id = device;
      access[device].flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    DRIVER(cuMemSetAccess, address, bytes, access, devices);
  }
};

}  // namespace multicast
