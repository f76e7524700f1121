// Device management.
#include "sim/runtime/state/device.hpp"

#include <cstring>
#include <mutex>
#include <string>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/memory/allocate.hpp"
#include "sim/runtime/memory/array.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::api_always;
using sim::device_options;
using sim::require;
using sim::Runtime;

namespace {

constexpr unsigned known_flags =
    cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return api_always([&](Runtime&) {
    require(count != nullptr);
    *count = Runtime::get().model.devices;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return api_always([&](Runtime&) {
    require(device != nullptr);
    *device = sim::current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return api_always([&](Runtime&) {
    sim::require_ordinal(device);
    sim::primary_context(device).alive = true;
    sim::set_current_context(&sim::primary_context(device));
    sim::enter_runtime();
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned flags, unsigned) {
  return api_always([&](Runtime&) {
    sim::require_ordinal(device);
    require((flags & ~known_flags) == 0);
    return cudaSuccess;
  });
}

cudaError_t cudaSetValidDevices(int* devices, int count) {
  return api_always([&](Runtime&) {
    require(count == 0 || devices != nullptr);
    for (int i = 0; i < count; ++i) sim::require_ordinal(devices[i]);
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
    sim::require_ordinal(device);
    *properties = sim::properties_of(runtime.model, device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api_always([&](Runtime& runtime) {
    require(value != nullptr);
    sim::require_ordinal(device);
    *value = sim::attribute_of(runtime.model, attribute, device);
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

// The program's memory on the device is gone, and so is what was agreed with other devices; its
// device code stays loaded.
cudaError_t cudaDeviceReset() {
  return api_always([](Runtime& runtime) {
    if (runtime.sticky() != cudaSuccess) {
      runtime.reset_device();
      return cudaSuccess;
    }
    require(sim::wait_device());
    const int own = sim::current_device();
    for (int other = 0; other < runtime.model.devices; ++other) {
      runtime.memory.let_reach(own, other, false);
      runtime.memory.let_reach(other, own, false);
    }
    sim::forget_arrays_of(own);
    sim::release_memory_of(own);
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return api_always([&](Runtime&) {
    require((flags & ~known_flags) == 0);
    const std::lock_guard lock(device_options().mutex);
    device_options().flags = flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return api_always([&](Runtime&) {
    require(flags != nullptr);
    const std::lock_guard lock(device_options().mutex);
    *flags = device_options().flags | cudaDeviceMapHost;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return api([&](Runtime&) {
    require(value != nullptr && static_cast<unsigned>(limit) < std::size(device_options().limits));
    require(limit != cudaLimitDevRuntimeSyncDepth, cudaErrorUnsupportedLimit);
    const std::lock_guard lock(device_options().mutex);
    *value = device_options().limits[limit];
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return api([&](Runtime& runtime) {
    require(static_cast<unsigned>(limit) < std::size(device_options().limits));
    require(limit != cudaLimitDevRuntimeSyncDepth, cudaErrorUnsupportedLimit);
    const std::lock_guard lock(device_options().mutex);
    if (limit == cudaLimitMallocHeapSize)
      require(runtime.memory.heap(sim::current_device()).set_limit(value));
    device_options().limits[limit] =
        limit == cudaLimitPersistingL2CacheSize ? sim::persisting_limit(value) : value;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config) {
  return api([&](Runtime&) {
    require(config != nullptr);
    *config = device_options().cache;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config) {
  return api([&](Runtime&) {
    require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
    device_options().cache = config;
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
    if (least != nullptr) *least = sim::lowest_priority;
    if (greatest != nullptr) *greatest = sim::highest_priority;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return api_always([&](Runtime&) {
    sim::require_ordinal(device);
    const std::string full = sim::bus_id(device);
    require(text != nullptr && length > static_cast<int>(full.size()));
    std::strcpy(text, full.c_str());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* text) {
  return api_always([&](Runtime&) {
    require(device != nullptr && text != nullptr);
    const std::string wanted = text;
    for (int number = 0; number < Runtime::get().model.devices; ++number) {
      const std::string full = sim::bus_id(number);
      // The domain and the function may be left out.
      if (wanted != full && wanted != full.substr(5) && wanted != full.substr(5, 5)) continue;
      *device = number;
      return cudaSuccess;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaProfilerStart() {
  return api([](Runtime&) { return cudaSuccess; });
}
cudaError_t cudaProfilerStop() {
  return api([](Runtime&) { return cudaSuccess; });
}
