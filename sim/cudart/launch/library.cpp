// Libraries: device code that the program loads by itself, from memory or from a file.
#include "sim/runtime/module/library.hpp"

#include "base/refuse.hpp"
#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::Module;
using sim::require;
using sim::Runtime;

namespace {

template <class Body>
cudaError_t with_module(cudaLibrary_t handle, Body body) {
  return sim::locked_api([&] { body(sim::module_of(handle)); });
}

cudaError_t get_variable(void** address, size_t* bytes, cudaLibrary_t handle, const char* name,
                         bool managed) {
  return with_module(handle, [&](Module& module) {
    require(name != nullptr && (address != nullptr || bytes != nullptr));
    const auto variable = module.variable(name);
    require(variable && variable->managed == managed, cudaErrorSymbolNotFound);
    if (address != nullptr) *address = reinterpret_cast<void*>(variable->address);
    if (bytes != nullptr) *bytes = variable->bytes;
  });
}

}  // namespace

cudaError_t cudaLibraryLoadData(cudaLibrary_t* handle, const void* code, cudaJitOption*, void**,
                                unsigned, cudaLibraryOption*, void**, unsigned) {
  return api([&](Runtime&) {
    require(handle != nullptr && code != nullptr);
    const std::string label = "a loaded library";
    *handle = sim::load_library(sim::copy_of_code(code, label), label);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* handle, const char* path, cudaJitOption*, void**,
                                    unsigned, cudaLibraryOption*, void**, unsigned) {
  return api([&](Runtime&) {
    require(handle != nullptr && path != nullptr);
    const std::string label = base::say("library ", path);
    *handle = sim::load_library(sim::code_of_file(path, label), label);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t handle) {
  return api([&](Runtime& runtime) {
    {
      const std::lock_guard lock(runtime.mutex);
      sim::module_of(handle);
    }
    require(sim::wait_all_devices());  // its kernels may be under way
    const std::lock_guard lock(runtime.mutex);
    sim::unload_library(handle);
    return cudaSuccess;
  });
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t handle, const char* name) {
  return with_module(handle, [&](Module& module) {
    require(kernel != nullptr && name != nullptr);
    require(module.program(name).kernel(name) != nullptr, cudaErrorSymbolNotFound);
    *kernel = reinterpret_cast<cudaKernel_t>(&module.kernel(name));
  });
}

cudaError_t cudaLibraryGetKernelCount(unsigned* count, cudaLibrary_t handle) {
  return with_module(handle, [&](Module& module) {
    require(count != nullptr);
    *count = static_cast<unsigned>(module.kernels().size());
  });
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t* kernels, unsigned room,
                                        cudaLibrary_t handle) {
  return with_module(handle, [&](Module& module) {
    require(kernels != nullptr && room != 0);
    const auto all = module.kernels();
    for (unsigned i = 0; i < room && i < all.size(); ++i)
      kernels[i] = reinterpret_cast<cudaKernel_t>(all[i]);
  });
}

cudaError_t cudaLibraryGetGlobal(void** address, size_t* bytes, cudaLibrary_t handle,
                                 const char* name) {
  return get_variable(address, bytes, handle, name, false);
}

cudaError_t cudaLibraryGetManaged(void** address, size_t* bytes, cudaLibrary_t handle,
                                  const char* name) {
  return get_variable(address, bytes, handle, name, true);
}

// Functions that host and device can both call: no program of this device has one.
cudaError_t cudaLibraryGetUnifiedFunction(void** function, cudaLibrary_t handle, const char* name) {
  return with_module(handle, [&](Module&) {
    require(function != nullptr && name != nullptr);
    throw sim::ApiError{cudaErrorInvalidValue};
  });
}
