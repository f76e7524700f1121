// cudaGetDriverEntryPoint: functions of the driver for programs of the runtime.
#include <cstring>

#include "sim/cuda/entry.hpp"
#include "sim/cudart/entry.hpp"
#include "sim/runtime/state/device.hpp"
#include "sim/runtime/stream/streams.hpp"

using namespace aisp;

using sim::require;
using sim::Runtime;

cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned version,
                                             unsigned long long flags,
                                             cudaDriverEntryPointQueryResult* status) {
  return sim::api_always([&](Runtime& runtime) {
    require(symbol != nullptr && *symbol != '\0' && function != nullptr);
    require(flags <= cudaEnablePerThreadDefaultStream && version <= sim::cuda_version + 999u);
    const bool per_thread = flags == cudaEnablePerThreadDefaultStream ||
                            (flags == cudaEnableDefault && sim::PerThreadDefault::active());
    const auto found = sim::driver::find_entry(symbol, static_cast<int>(version), per_thread);
    if (!found.known && std::strncmp(symbol, "cu", 2) == 0)
      runtime.note_once(std::string(symbol) + " of the driver is not supported by the simulator");
    *function = found.function;
    if (status != nullptr)
      *status = found.function != nullptr ? cudaDriverEntryPointSuccess
                : found.known             ? cudaDriverEntryPointVersionNotSufficent
                                          : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
  });
}

// The deprecated form asks for the version that the runtime has.
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                                    cudaDriverEntryPointQueryResult* status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, sim::cuda_version, flags, status);
}

AISP_API cudaError_t cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function,
                                                  unsigned long long flags,
                                                  cudaDriverEntryPointQueryResult* status) {
  const sim::PerThreadDefault scope;
  return cudaGetDriverEntryPointByVersion(symbol, function, sim::cuda_version, flags, status);
}
