// cudaGetDriverEntryPoint: the few functions of the driver that a program of the runtime asks for.
#include <cuda.h>

#include <cstring>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/memory/tensor_map_encode.hpp"
#include "sim/runtime/state/device.hpp"

using namespace aisp;

using sim::require;
using sim::Runtime;

namespace {

// The driver's error codes have the numbers of the runtime's, without names of their own here.
CUresult error_name(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  static constexpr struct {
    CUresult code;
    const char* name;
  } names[] = {
      {CUDA_SUCCESS, "CUDA_SUCCESS"},
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY"},
      {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
      {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
      {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
      {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
      {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY"},
      {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {CUDA_ERROR_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED"},
      {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED"},
      {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN"},
  };
  for (const auto& known : names)
    if (known.code == error) {
      *text = known.name;
      return CUDA_SUCCESS;
    }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult error_string(CUresult error, const char** text) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto same = static_cast<cudaError_t>(error);
  *text = cudaGetErrorString(same);
  if (std::strcmp(cudaGetErrorName(same), "unrecognized error code") != 0) return CUDA_SUCCESS;
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult initialise(unsigned flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUresult driver_version(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = sim::cuda_version;
  return CUDA_SUCCESS;
}

CUresult device_get(CUdevice* device, int ordinal) {
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (ordinal < 0 || ordinal >= Runtime::get().model.devices) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult device_count(int* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *count = Runtime::get().model.devices;
  return CUDA_SUCCESS;
}

CUresult device_attribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (device < 0 || device >= Runtime::get().model.devices) return CUDA_ERROR_INVALID_DEVICE;
  try {
    *value =
        sim::attribute_of(Runtime::get().model, static_cast<cudaDeviceAttr>(attribute), device);
    return CUDA_SUCCESS;
  } catch (const sim::ApiError&) {
    return CUDA_ERROR_INVALID_VALUE;
  }
}

// There is one context for each device, and every thread is in that of its current one.
CUresult context(CUcontext* current) {
  if (current == nullptr) return CUDA_ERROR_INVALID_VALUE;
  static char contexts[sim::most_devices];
  *current = reinterpret_cast<CUcontext>(&contexts[sim::current_device()]);
  return CUDA_SUCCESS;
}

CUresult proc_address(const char* symbol, void** function, int version, cuuint64_t flags,
                      CUdriverProcAddressQueryResult* status);

struct Entry {
  const char* name;
  unsigned since;  // CUDA version
  void* function;
};

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

const Entry* find(const char* name) {
  static const Entry entries[] = {
      {"cuTensorMapEncodeTiled", 12000, address(sim::encode_tiled)},
      {"cuTensorMapEncodeIm2col", 12000, address(sim::encode_im2col)},
      {"cuTensorMapReplaceAddress", 12000, address(sim::replace_address)},
      {"cuGetProcAddress", 12000, address(proc_address)},
      {"cuGetErrorName", 6000, address(error_name)},
      {"cuGetErrorString", 6000, address(error_string)},
      {"cuInit", 2000, address(initialise)},
      {"cuDriverGetVersion", 2020, address(driver_version)},
      {"cuDeviceGet", 2000, address(device_get)},
      {"cuDeviceGetCount", 2000, address(device_count)},
      {"cuDeviceGetAttribute", 2000, address(device_attribute)},
      {"cuCtxGetCurrent", 4000, address(context)},
  };
  for (const Entry& entry : entries)
    if (std::strcmp(entry.name, name) == 0) return &entry;
  return nullptr;
}

CUresult proc_address(const char* symbol, void** function, int version, cuuint64_t flags,
                      CUdriverProcAddressQueryResult* status) {
  cudaDriverEntryPointQueryResult found{};
  if (version < 0 ||
      cudaGetDriverEntryPointByVersion(symbol, function, static_cast<unsigned>(version), flags,
                                       &found) != cudaSuccess)
    return CUDA_ERROR_INVALID_VALUE;
  if (status != nullptr) *status = static_cast<CUdriverProcAddressQueryResult>(found);
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  return sim::api_always([&](Runtime& runtime) {
    require(symbol != nullptr && function != nullptr);
    require(flags <= cudaEnablePerThreadDefaultStream && version <= sim::cuda_version + 999u);
    const Entry* entry = find(symbol);
    const bool usable = entry != nullptr && version >= entry->since;
    *function = usable ? entry->function : nullptr;
    if (entry == nullptr && std::strncmp(symbol, "cu", 2) == 0)
      runtime.note_once(std::string(symbol) + " of the driver is not supported by the simulator");
    if (status != nullptr)
      *status = usable             ? cudaDriverEntryPointSuccess
                : entry == nullptr ? cudaDriverEntryPointSymbolNotFound
                                   : cudaDriverEntryPointVersionNotSufficent;
    return cudaSuccess;
  });
}

// The deprecated form asks for the version that the runtime has. None of the entries knows a
// stream, so that the per-thread form finds the same.
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, sim::cuda_version, flags, status);
}

AISP_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function,
                                                  unsigned long long flags,
                                                  cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, sim::cuda_version, flags, status);
}
