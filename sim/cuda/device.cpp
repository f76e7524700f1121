// Devices, as the driver shows them.
#include "sim/runtime/state/device.hpp"

#include <algorithm>
#include <cstring>

#include "sim/cuda/driver.hpp"

using namespace aisp;

using namespace sim::driver;
using sim::Runtime;

// Nothing is simulated yet: a runtime that was linked into a program calls this, too, and gets no
// further.
CUresult cuInit(unsigned flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  sim::initialise_driver();
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = sim::cuda_version;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return initialised([&] {
    demand(device != nullptr);
    demand_device(ordinal);
    *device = ordinal;
  });
}

CUresult cuDeviceGetCount(int* count) {
  return initialised([&] { return cudaGetDeviceCount(count); });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return initialised([&] {
    demand(name != nullptr && length > 0);
    demand_device(device);
    const std::string& full = Runtime::get().model.name;
    const auto bytes = std::min(full.size(), static_cast<std::size_t>(length) - 1);
    std::memcpy(name, full.data(), bytes);
    name[bytes] = '\0';
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return initialised([&] {
    demand(uuid != nullptr);
    demand_device(device);
    *uuid = sim::properties_of(Runtime::get().model, device).uuid;
  });
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

// Locally unique identifiers are Windows's.
CUresult cuDeviceGetLuid(char* luid, unsigned* mask, CUdevice device) {
  return initialised([&] {
    demand(luid != nullptr && mask != nullptr);
    demand_device(device);
    return CUDA_ERROR_NOT_SUPPORTED;
  });
}

CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  return initialised([&] {
    demand(bytes != nullptr);
    demand_device(device);
    *bytes = static_cast<size_t>(Runtime::get().model.memory_bytes);
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return initialised([&] {
    return cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device);
  });
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  return initialised([&] {
    demand(major != nullptr && minor != nullptr);
    demand_device(device);
    *major = Runtime::get().model.major;
    *minor = Runtime::get().model.minor;
  });
}

CUresult cuDeviceGetProperties(CUdevprop* properties, CUdevice device) {
  return initialised([&] {
    demand(properties != nullptr);
    demand_device(device);
    const cudaDeviceProp all = sim::properties_of(Runtime::get().model, device);
    *properties = {};
    properties->maxThreadsPerBlock = all.maxThreadsPerBlock;
    std::copy_n(all.maxThreadsDim, 3, properties->maxThreadsDim);
    std::copy_n(all.maxGridSize, 3, properties->maxGridSize);
    properties->sharedMemPerBlock = static_cast<int>(all.sharedMemPerBlock);
    properties->totalConstantMemory = static_cast<int>(all.totalConstMem);
    properties->SIMDWidth = all.warpSize;
    properties->memPitch = static_cast<int>(all.memPitch);
    properties->regsPerBlock = all.regsPerBlock;
    properties->textureAlign = static_cast<int>(all.textureAlignment);
    cudaDeviceGetAttribute(&properties->clockRate, cudaDevAttrClockRate, device);
  });
}

CUresult cuDeviceGetPCIBusId(char* text, int length, CUdevice device) {
  return initialised([&] { return cudaDeviceGetPCIBusId(text, length, device); });
}

CUresult cuDeviceGetByPCIBusId(CUdevice* device, const char* text) {
  return initialised([&] { return cudaDeviceGetByPCIBusId(device, text); });
}

CUresult cuDeviceCanAccessPeer(int* can, CUdevice device, CUdevice peer) {
  return initialised([&] { return cudaDeviceCanAccessPeer(can, device, peer); });
}

CUresult cuDeviceGetP2PAttribute(int* value, CUdevice_P2PAttribute attribute, CUdevice device,
                                 CUdevice peer) {
  return initialised([&] {
    return cudaDeviceGetP2PAttribute(value, static_cast<cudaDeviceP2PAttr>(attribute), device,
                                     peer);
  });
}

CUresult cuDeviceGetExecAffinitySupport(int* supported, CUexecAffinityType type, CUdevice device) {
  return initialised([&] {
    demand(supported != nullptr && type >= 0 && type < CU_EXEC_AFFINITY_TYPE_MAX);
    demand_device(device);
    *supported = 0;  // a matter of the multi-process service
  });
}

CUresult cuProfilerStart() {
  return in_context([] { return cudaProfilerStart(); });
}
CUresult cuProfilerStop() {
  return in_context([] { return cudaProfilerStop(); });
}
