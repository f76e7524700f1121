// Libraries: device code that is loaded once for all contexts, and its kernels.
#include "sim/cuda/function_attribute.hpp"
#include "sim/cuda/module_store.hpp"
#include "sim/runtime/launch/function.hpp"

using namespace aisp;

using namespace sim::driver;

namespace {

cudaLibrary_t same_library(CUlibrary library) { return reinterpret_cast<cudaLibrary_t>(library); }

sim::Kernel& kernel_at(const void* handle) {
  demand(handle != nullptr, CUDA_ERROR_INVALID_HANDLE);
  return sim::kernel_of(handle);
}

// The runtime takes neither options of a compiler nor of a library; they are judged alone.
void judge_options(unsigned jit_count, const CUjit_option* jit, void** jit_values, unsigned count,
                   const CUlibraryOption* options) {
  JitOptions(jit_count, jit, jit_values).report(false);
  demand(count == 0 || options != nullptr);
  for (unsigned i = 0; i < count; ++i)
    demand(options[i] >= 0 && options[i] < CU_LIBRARY_NUM_OPTIONS);
}

}  // namespace

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jit,
                           void** jit_values, unsigned jit_count, CUlibraryOption* options, void**,
                           unsigned count) {
  return initialised([&] {
    judge_options(jit_count, jit, jit_values, count, options);
    return cudaLibraryLoadData(reinterpret_cast<cudaLibrary_t*>(library), code, nullptr, nullptr, 0,
                               nullptr, nullptr, 0);
  });
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option* jit,
                               void** jit_values, unsigned jit_count, CUlibraryOption* options,
                               void**, unsigned count) {
  return initialised([&] {
    judge_options(jit_count, jit, jit_values, count, options);
    return cudaLibraryLoadFromFile(reinterpret_cast<cudaLibrary_t*>(library), path, nullptr,
                                   nullptr, 0, nullptr, nullptr, 0);
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return initialised([&] { return cudaLibraryUnload(same_library(library)); });
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  return initialised([&] {
    return cudaLibraryGetKernel(reinterpret_cast<cudaKernel_t*>(kernel), same_library(library),
                                name);
  });
}

CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  return initialised([&] { return cudaLibraryGetKernelCount(count, same_library(library)); });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned room, CUlibrary library) {
  return initialised([&] {
    return cudaLibraryEnumerateKernels(reinterpret_cast<cudaKernel_t*>(kernels), room,
                                       same_library(library));
  });
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary library) {
  return in_context([&] {
    demand(module != nullptr);
    const std::lock_guard lock(sim::Runtime::get().mutex);
    *module = handle_of_module(sim::module_of(same_library(library)));
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                            const char* name) {
  return in_context([&] {
    return cudaLibraryGetGlobal(reinterpret_cast<void**>(address), bytes, same_library(library),
                                name);
  });
}

CUresult cuLibraryGetManaged(CUdeviceptr* address, size_t* bytes, CUlibrary library,
                             const char* name) {
  return initialised([&] {
    return cudaLibraryGetManaged(reinterpret_cast<void**>(address), bytes, same_library(library),
                                 name);
  });
}

CUresult cuLibraryGetUnifiedFunction(void** function, CUlibrary library, const char* name) {
  return initialised(
      [&] { return cudaLibraryGetUnifiedFunction(function, same_library(library), name); });
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel kernel) {
  return in_context([&] {
    demand(function != nullptr);
    *function = reinterpret_cast<CUfunction>(&kernel_at(kernel));
  });
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel kernel) {
  return initialised([&] {
    demand(library != nullptr);
    const std::lock_guard lock(sim::Runtime::get().mutex);
    const cudaLibrary_t found = sim::library_of(*kernel_at(kernel).module);
    demand(found != nullptr, CUDA_ERROR_INVALID_HANDLE);
    *library = reinterpret_cast<CUlibrary>(found);
  });
}

CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  return initialised([&] {
    demand(name != nullptr);
    *name = kernel_at(kernel).name.c_str();
  });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t* offset, size_t* bytes) {
  return initialised(
      [&] { return cudaFuncGetParamInfo(&kernel_at(kernel), index, offset, bytes); });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device) {
  return initialised([&] {
    demand_device(device);
    demand(value != nullptr);
    const sim::OnDevice there(device);
    *value = function_attribute(kernel_at(kernel), attribute);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device) {
  return initialised([&] {
    demand_device(device);
    const sim::OnDevice there(device);
    sim::set_attribute(kernel_at(kernel), static_cast<cudaFuncAttribute>(attribute), value);
  });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice device) {
  return initialised([&] {
    demand_device(device);
    return cudaFuncSetCacheConfig(&kernel_at(kernel), static_cast<cudaFuncCache>(config));
  });
}
