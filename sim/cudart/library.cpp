// Libraries: device code that the program loads by itself, from memory or from a file.
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "base/refuse.hpp"
#include "sim/cudart/module.hpp"
#include "sim/cudart/runtime.hpp"

using sim::api;
using sim::Module;
using sim::require;
using sim::Runtime;

namespace {

// A module views its code; the program may free what it passed, so that the library keeps a copy.
struct Library {
  Module* module = nullptr;
  std::string code;
};

std::map<const void*, std::unique_ptr<Library>>& libraries() {
  static auto* const all = new std::map<const void*, std::unique_ptr<Library>>;
  return *all;
}

// Guarded by Runtime::mutex.
Module& module_of(cudaLibrary_t handle) {
  const auto found = libraries().find(handle);
  require(found != libraries().end(), cudaErrorInvalidResourceHandle);
  return *found->second->module;
}

constexpr std::uint32_t fatbin_magic = 0xba55ed50, wrapper_magic = 0x466243b1;
constexpr std::uint32_t elf_magic = 0x464c457f;

// The wrapper of nvcc's own objects points to the fatbin; a fatbin states its length in its header.
// Anything else is text, except machine code, which carries no PTX.
std::string copy_of(const void* code) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, code, std::strlen(static_cast<const char*>(code)) < 4 ? 0 : 4);
  const auto* bytes = static_cast<const char*>(code);
  if (magic == wrapper_magic) {
    const void* inner = nullptr;
    std::memcpy(&inner, bytes + 8, sizeof inner);
    return copy_of(inner);
  }
  if (magic == fatbin_magic) {
    std::uint16_t header = 0;
    std::uint64_t body = 0;
    std::memcpy(&header, bytes + 6, sizeof header);
    std::memcpy(&body, bytes + 8, sizeof body);
    return {bytes, bytes + header + body};
  }
  if (magic == elf_magic) return {bytes, bytes + 64};
  return bytes;
}

cudaError_t load(cudaLibrary_t* handle, std::string code, const std::string& label) {
  auto library = std::make_unique<Library>();
  library->code = std::move(code);
  try {
    library->module = sim::Registry::get().add(sim::read_images(library->code.data()), label);
  } catch (const std::exception& error) {
    Runtime::get().note(base::say(label, " cannot be read: ", error.what()));
    return cudaErrorInvalidPtx;
  }
  const std::lock_guard lock(Runtime::get().mutex);
  *handle = reinterpret_cast<cudaLibrary_t>(library.get());
  libraries().emplace(library.get(), std::move(library));
  return cudaSuccess;
}

template <class Body>
cudaError_t with_module(cudaLibrary_t handle, Body body) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    body(module_of(handle));
    return cudaSuccess;
  });
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
    return load(handle, copy_of(code), "a loaded library");
  });
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* handle, const char* path, cudaJitOption*, void**,
                                    unsigned, cudaLibraryOption*, void**, unsigned) {
  return api([&](Runtime&) {
    require(handle != nullptr && path != nullptr);
    std::ifstream file(path, std::ios::binary);
    require(file.is_open(), cudaErrorFileNotFound);
    std::ostringstream text;
    text << file.rdbuf();
    return load(handle, text.str(), base::say("library ", path));
  });
}

cudaError_t cudaLibraryUnload(cudaLibrary_t handle) {
  return api([&](Runtime& runtime) {
    {
      const std::lock_guard lock(runtime.mutex);
      module_of(handle);
    }
    require(sim::wait_all_devices());  // its kernels may be under way
    const std::lock_guard lock(runtime.mutex);
    sim::Registry::get().remove(&module_of(handle));
    libraries().erase(handle);
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
