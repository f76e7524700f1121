// Device management.
#include "sim/cudart/device.hpp"

#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

#include "sim/cudart/capture.hpp"
#include "sim/cudart/memory_pool.hpp"
#include "sim/cudart/runtime.hpp"

using sim::api;
using sim::api_always;
using sim::require;
using sim::Runtime;

namespace {

constexpr int lowest_priority = 0, highest_priority = -5;
constexpr unsigned known_flags =
    cudaDeviceScheduleMask | cudaDeviceMapHost | cudaDeviceLmemResizeToMax | cudaDeviceSyncMemops;

std::string bus_id(int device) {
  char text[24];
  std::snprintf(text, sizeof text, "0000:%02x:00.0", sim::bus_of(device));
  return text;
}

struct State {
  std::mutex mutex;
  unsigned flags = 0;
  cudaFuncCache cache = cudaFuncCachePreferNone;
  // By cudaLimit. The third is the depth of a synchronisation on the device, which is no more.
  size_t limits[7] = {1024, 8650752, 8388608, 0, 2048, 64, 0};
  State() { limits[6] = static_cast<size_t>(Runtime::get().model.persisting_l2_bytes) * 3 / 10; }
};

// Of the current device.
State& state() {
  static auto* const all = new State[sim::most_devices];
  return all[sim::current_device()];
}

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
    sim::set_current_device(device);
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
    const auto table = runtime.memory.table();  // as it is before anything is released
    for (const sim::Allocation& allocation : *table)
      if (allocation.device == own && allocation.name.empty() &&
          allocation.kind != sim::MemoryKind::params) {
        sim::forget_in_pool(reinterpret_cast<void*>(allocation.base));
        runtime.memory.release(reinterpret_cast<void*>(allocation.base));
      }
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
    sim::require_ordinal(device);
    const std::string full = bus_id(device);
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
      const std::string full = bus_id(number);
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
