#include "lab/profile/kernels.hpp"

#include <cupti.h>
#include <cxxabi.h>
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string>

#include "base/refuse.hpp"

namespace lab {
namespace {

template <class Function>
Function* symbol(void* library, const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(library, name));
  if (found == nullptr) base::refuse(base::Exit::environment, "CUPTI has no ", name);
  return found;
}

struct Cupti {
  void* library;
  decltype(&cuptiActivityEnable) enable =
      symbol<decltype(cuptiActivityEnable)>(library, "cuptiActivityEnable");
  decltype(&cuptiActivityDisable) disable =
      symbol<decltype(cuptiActivityDisable)>(library, "cuptiActivityDisable");
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks =
      symbol<decltype(cuptiActivityRegisterCallbacks)>(library, "cuptiActivityRegisterCallbacks");
  decltype(&cuptiActivityFlushAll) flush =
      symbol<decltype(cuptiActivityFlushAll)>(library, "cuptiActivityFlushAll");
  decltype(&cuptiActivityGetNextRecord) next =
      symbol<decltype(cuptiActivityGetNextRecord)>(library, "cuptiActivityGetNextRecord");
  decltype(&cuptiGetResultString) result_string =
      symbol<decltype(cuptiGetResultString)>(library, "cuptiGetResultString");

  void check(CUptiResult result, const char* what) const {
    if (result == CUPTI_SUCCESS) return;
    const char* text = "unknown error";
    result_string(result, &text);
    base::refuse(base::Exit::environment, "CUPTI ", what, ": ", text,
                 "; --profile none runs without it");
  }
};

constexpr std::array cupti_places{"libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13",
                                  "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13"};

const Cupti& cupti() {
  static const Cupti loaded = [] {
    std::string tried;
    const std::string path = find_cupti(tried);
    if (path.empty())
      base::refuse(base::Exit::environment, "CUPTI not found (tried ", tried,
                   "); --profile none runs without it");
    return Cupti{dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)};
  }();
  return loaded;
}

std::string readable(const char* mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : mangled;
}

// CUPTI calls back with plain functions; the profile in progress is one per process.
std::vector<KernelRecord>* collecting = nullptr;
constexpr std::size_t buffer_bytes = 1 << 20;

void CUPTIAPI hand_out(uint8_t** buffer, size_t* size, size_t* most_records) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, buffer_bytes));
  *size = buffer_bytes;
  *most_records = 0;  // as many as fit
}

void CUPTIAPI take_back(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* activity = nullptr;
  while (cupti().next(buffer, valid, &activity) == CUPTI_SUCCESS) {
    if (activity->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || collecting == nullptr) continue;
    const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel10*>(activity);
    collecting->push_back({.name = readable(kernel.name),
                           .grid = {kernel.gridX, kernel.gridY, kernel.gridZ},
                           .block = {kernel.blockX, kernel.blockY, kernel.blockZ},
                           .registers = kernel.registersPerThread,
                           .static_shared = kernel.staticSharedMemory,
                           .dynamic_shared = kernel.dynamicSharedMemory,
                           .local_bytes = kernel.localMemoryPerThread,
                           .us = static_cast<double>(kernel.end - kernel.start) * 1e-3});
  }
  std::free(buffer);
}

}  // namespace

std::string find_cupti(std::string& tried) {
  for (const char* place : cupti_places) {
    // Stays open: a library that has been asked for is about to be used.
    if (dlopen(place, RTLD_NOW | RTLD_LOCAL) != nullptr) return place;
    tried += (tried.empty() ? "" : ", ") + std::string(place);
  }
  return "";
}

std::vector<KernelRecord> kernels_of(const std::function<void()>& work) {
  std::vector<KernelRecord> kernels;
  const Cupti& api = cupti();
  api.check(api.register_callbacks(hand_out, take_back), "register");
  api.check(api.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "enable");
  collecting = &kernels;
  // The records must not outlive `kernels`, whatever `work` does.
  const auto finish = [&api] {
    api.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    api.disable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    collecting = nullptr;
  };
  try {
    work();
  } catch (...) {
    finish();
    throw;
  }
  finish();
  return kernels;
}

}  // namespace lab
