#include "sim/cuda/entry.hpp"

#include <cstring>
#include <string>
#include <unordered_map>

#include "sim/cuda/driver.hpp"
#include "sim/runtime/memory/tensor_map_encode.hpp"
#include "sim/runtime/state/device.hpp"
#include "sim/runtime/state/static_runtime.hpp"
#include "sim/runtime/stream/streams.hpp"

namespace aisp::sim::driver {
namespace {

// The form of a function for programs built for per-thread default streams.
template <auto function>
struct OfThread;
template <class... Arguments, CUresult (*function)(Arguments...)>
struct OfThread<function> {
  static CUresult call(Arguments... arguments) {
    const PerThreadDefault scope;
    return function(arguments...);
  }
};

struct DriverEntry {
  const char* name;      // "cuMemAlloc"
  int since;             // CUDA version
  const char* exported;  // "cuMemAlloc_v2", the library's symbol
  void* function;
  bool per_thread;
};

template <class Function>
void* address_of_function(Function* function) {
  return reinterpret_cast<void*>(function);
}

const DriverEntry driver_entries[] = {
#define AISP_DRIVER(name, since, exported) \
  {#name, since, #exported, address_of_function(exported), false},
#define AISP_DRIVER_AS(name, since, exported, function) \
  {#name, since, #exported, address_of_function(function), false},
#define AISP_DRIVER_PER_THREAD(name, since, exported, function) \
  {#name, since, #exported, address_of_function(&OfThread<&function>::call), true},
#include "sim/cuda/entries.inc"
#undef AISP_DRIVER
#undef AISP_DRIVER_AS
#undef AISP_DRIVER_PER_THREAD
};

}  // namespace

FoundEntry find_entry(const char* name, int version, bool per_thread) {
  FoundEntry found;
  const DriverEntry* best = nullptr;
  for (const DriverEntry& entry : driver_entries) {
    if (std::strcmp(entry.name, name) != 0) continue;
    found.known = true;
    if (entry.since > version || (entry.per_thread && !per_thread)) continue;
    const bool better = best == nullptr || entry.per_thread > best->per_thread ||
                        (entry.per_thread == best->per_thread && entry.since > best->since);
    if (better) best = &entry;
  }
  if (best != nullptr) found.function = best->function;
  return found;
}

}  // namespace aisp::sim::driver

using namespace aisp;

using namespace sim::driver;

// For libcuda.so.1, which is nothing but its names: the function behind a symbol, and what a symbol
// answers that has none.
extern "C" [[gnu::visibility("default")]] void* aispDriverFunction(const char* exported);
void* aispDriverFunction(const char* exported) {
  static const auto* const by_symbol = [] {
    auto* table = new std::unordered_map<std::string, void*>;
    for (const DriverEntry& entry : driver_entries) (*table)[entry.exported] = entry.function;
    return table;
  }();
  const auto found = by_symbol->find(exported);
  return found == by_symbol->end() ? nullptr : found->second;
}

extern "C" [[gnu::visibility("default")]] int aispDriverRefuses(const char* exported);
int aispDriverRefuses(const char* exported) {
  sim::Runtime::get().note_once(std::string(exported) +
                                " of the driver is not supported by the simulator");
  return CUDA_ERROR_NOT_SUPPORTED;
}

namespace {

// `asker`: an address in whoever calls. A runtime that was linked into a program asks for every
// name there is, and is spoken of when it fails.
CUresult give_address(const char* symbol, void** function, int version, cuuint64_t flags,
                      CUdriverProcAddressQueryResult* status, const void* asker) {
  if (symbol == nullptr || *symbol == '\0' || function == nullptr || version < 0 ||
      flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
    return CUDA_ERROR_INVALID_VALUE;
  return guarded([&] {
    const bool per_thread = flags == CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ||
                            (flags == 0 && sim::PerThreadDefault::active());
    const FoundEntry found = find_entry(symbol, version, per_thread);
    if (!found.known && std::strncmp(symbol, "cu", 2) == 0 && !sim::is_static_runtime(asker))
      aispDriverRefuses(symbol);
    *function = found.function;
    if (status != nullptr)
      *status = found.function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS
                : found.known             ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                                          : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return found.function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  });
}

}  // namespace

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* status) {
  return give_address(symbol, function, version, flags, status, __builtin_return_address(0));
}

CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  return give_address(symbol, function, version, flags, nullptr, __builtin_return_address(0));
}

// Tables that no document describes. Who asks is, as good as always, a CUDA runtime that was linked
// into the program or a library, and finds no device without them.
CUresult cuGetExportTable(const void** table, const CUuuid* id) {
  if (table == nullptr || id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *table = nullptr;
  sim::tell_that_driver_refuses(__builtin_return_address(0));
  return CUDA_ERROR_NOT_SUPPORTED;
}
