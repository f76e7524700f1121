// Device management. There is one device, number 0.
#include "sim/cudart/device.hpp"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "sim/cudart/capture.hpp"
#include "sim/cudart/runtime.hpp"

using sim::api;
using sim::api_always;
using sim::require;
using sim::Runtime;

namespace {

constexpr int lowest_priority = 0, highest_priority = -5;
constexpr unsigned known_flags =
    cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;
constexpr const char* bus_id = "0000:51:00.0";

void require_device_zero(int device) { require(device == 0, cudaErrorInvalidDevice); }

struct State {
  std::mutex mutex;
  unsigned flags = 0;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  // By cudaLimit. The third is the depth of a synchronisation on the device, which is no more.
  size_t limits[7] = {1024, 8650752, 8388608, 0, 2048, 64, 0};
  State() { limits[6] = static_cast<size_t>(Runtime::get().model.persisting_l2_bytes) * 3 / 10; }
};

State& state() {
  static auto* const only = new State;
  return *only;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return api_always([&](Runtime&) {
    require(count != nullptr);
    *count = 1;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return api_always([&](Runtime&) {
    require(device != nullptr);
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api_always([&](Runtime&) {
    require_device_zero(device);
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned flags, unsigned) {
  return api_always([&](Runtime&) {
    require_device_zero(device);
    require((flags & ~known_flags) == 0);
    return cudaSuccess;
  });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return api_always([&](Runtime&) {
    require(count == 0 || devices != nullptr);
    for (int i = 0; i < count; ++i) require_device_zero(devices[i]);
    return cudaSuccess;
  });
}

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* wanted) {
  return api_always([&](Runtime&) {
    require(device != nullptr && wanted != nullptr);
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api_always([&](Runtime& runtime) {
    require(properties != nullptr);
    require_device_zero(device);
    *properties = sim::properties_of(runtime.model);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api_always([&](Runtime& runtime) {
    require(value != nullptr);
    require_device_zero(device);
    *value = sim::attribute_of(runtime.model, attribute);
    return cudaSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  return api_always([&](Runtime&) {
    require(version != nullptr);
    *version = sim::cuda_version;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaDeviceSynchronize() {
  return api([](Runtime&) {
    require(sim::forbid_while_capturing());
    return sim::wait_device();
  });
}

// The program's memory is gone; its device code stays loaded.
cudaError_t cudaDeviceReset() {
  return api_always([](Runtime& runtime) {
    if (runtime.sticky() != cudaSuccess) {
      runtime.reset_device();
      return cudaSuccess;
    }
    require(sim::wait_device());
    for (const sim::Allocation& allocation : *runtime.memory.table())
      if (allocation.name.empty() && allocation.kind != sim::MemoryKind::params)
        runtime.memory.release(reinterpret_cast<void*>(allocation.base));
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api_always([&](Runtime&) {
    require((flags & ~known_flags) == 0);
    const std::lock_guard lock(state().mutex);
    state().flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api_always([&](Runtime&) {
    require(flags != nullptr);
    const std::lock_guard lock(state().mutex);
    *flags = state().flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return api([&](Runtime&) {
    require(value != nullptr && static_cast<unsigned>(limit) < std::size(state().limits));
    require(limit != cudaLimitDevRuntimeSyncDepth, cudaErrorUnsupportedLimit);
    const std::lock_guard lock(state().mutex);
    *value = state().limits[limit];
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api([&](Runtime&) {
    require(static_cast<unsigned>(limit) < std::size(state().limits));
    require(limit != cudaLimitDevRuntimeSyncDepth, cudaErrorUnsupportedLimit);
    const std::lock_guard lock(state().mutex);
    state().limits[limit] = value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api([&](Runtime&) {
    require(config != nullptr);
    *config = state().cache;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api([&](Runtime&) {
    require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
    state().cache = config;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config) {
  return api([&](Runtime&) {
    require(config != nullptr);
    *config = cudaSharedMemBankSizeFourByte;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig) {
  return api([](Runtime&) { return cudaSuccess; });
}

cudaError_t cudaCtxResetPersistingL2Cache() {
  return api([](Runtime&) { return cudaSuccess; });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return api([&](Runtime&) {
    if (least != nullptr) *least = lowest_priority;
    if (greatest != nullptr) *greatest = highest_priority;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return api_always([&](Runtime&) {
    require(text != nullptr && length > static_cast<int>(std::strlen(bus_id)));
    require_device_zero(device);
    std::strcpy(text, bus_id);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api_always([&](Runtime&) {
    require(device != nullptr && text != nullptr);
    const std::string wanted = text, full = bus_id;
    // The domain and the function may be left out.
    require(wanted == full || wanted == full.substr(5) || wanted == full.substr(5, 5));
    *device = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return api_always([&](Runtime&) {
    require(can != nullptr);
    require_device_zero(device);
    require_device_zero(peer);
    *can = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return api([&](Runtime&) {
    require_device_zero(peer);
    require(flags == 0);
    return cudaErrorPeerAccessUnsupported;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return api([&](Runtime&) {
    require_device_zero(peer);
    return cudaErrorPeerAccessNotEnabled;
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr, int, int) {
  return api_always([&](Runtime&) {
    require(value != nullptr);
    return cudaErrorInvalidDevice;  // there are no two devices
  });
}

cudaError_t cudaProfilerStart() {
  return api([](Runtime&) { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return api([](Runtime&) { return cudaSuccess; });
}
