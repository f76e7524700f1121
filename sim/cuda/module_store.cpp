#include "sim/cuda/module_store.hpp"

#include <map>

#include "sim/runtime/memory/allocate.hpp"
#include "sim/runtime/stream/submit.hpp"

namespace aisp::sim::driver {
namespace {

struct LoadedModule {
  cudaLibrary_t library = nullptr;
  Context* context = nullptr;
};

// Guarded by Runtime::mutex.
std::map<const void*, LoadedModule>& modules() {
  static auto* const all = new std::map<const void*, LoadedModule>;
  return *all;
}

std::map<void*, Context*>& owned_memory() {
  static auto* const all = new std::map<void*, Context*>;
  return *all;
}

void unload(const void* module) {
  const cudaLibrary_t library = modules().at(module).library;
  modules().erase(module);
  unload_library(library);
}

}  // namespace

CUmodule load_module(const std::function<std::string()>& read_code, const std::string& label,
                     const JitOptions& options) {
  Module* module = nullptr;
  try {
    const cudaLibrary_t library = load_library(read_code(), label);
    const std::lock_guard lock(Runtime::get().mutex);
    module = &module_of(library);
    modules()[module] = {library, owning_context()};
    module->program(label);
    options.report(false);
  } catch (...) {
    options.report(true);
    const std::lock_guard lock(Runtime::get().mutex);
    if (module != nullptr) unload(module);
    throw;
  }
  return handle_of_module(*module);
}

void unload_module(CUmodule handle) {
  {
    const std::lock_guard lock(Runtime::get().mutex);
    demand(modules().contains(handle), CUDA_ERROR_INVALID_HANDLE);
  }
  demand(wait_all_devices());  // its kernels may be under way
  const std::lock_guard lock(Runtime::get().mutex);
  unload(handle);
}

CUmodule handle_of_module(Module& module) { return reinterpret_cast<CUmodule>(&module); }

Module& module_at(CUmodule handle) {
  auto* module = reinterpret_cast<Module*>(handle);
  demand(Registry::get().knows(module), CUDA_ERROR_INVALID_HANDLE);
  return *module;
}

Kernel& kernel_named(Module& module, const char* name) {
  demand(name != nullptr);
  demand(module.program(name).kernel(name) != nullptr, CUDA_ERROR_NOT_FOUND);
  return module.kernel(name);
}

void own_memory(void* memory) {
  const std::lock_guard lock(Runtime::get().mutex);
  if (memory != nullptr) owned_memory()[memory] = owning_context();
}

void disown_memory(void* memory) {
  const std::lock_guard lock(Runtime::get().mutex);
  owned_memory().erase(memory);
}

void release_all_of(Context& context) {
  const std::lock_guard lock(Runtime::get().mutex);
  std::vector<const void*> loaded;
  for (const auto& [module, how] : modules())
    if (how.context == &context) loaded.push_back(module);
  for (const void* module : loaded) unload(module);
  std::erase_if(owned_memory(), [&](const auto& owned) {
    if (owned.second != &context) return false;
    release_memory(owned.first);
    return true;
  });
}

}  // namespace aisp::sim::driver
