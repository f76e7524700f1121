#include "sim/runtime/module/library.hpp"

#include <cstring>
#include <map>
#include <memory>

#include "base/refuse.hpp"
#include "sim/runtime/module/fatbin.hpp"

namespace aisp::sim {
namespace {

// A module views its code, which the library keeps.
struct Library {
  Module* module = nullptr;
  std::string code;
};

std::map<const void*, std::unique_ptr<Library>>& libraries() {
  static auto* const all = new std::map<const void*, std::unique_ptr<Library>>;
  return *all;
}

}  // namespace

// The wrapper of nvcc's own objects points to the fatbin; a fatbin states its length in its header.
// Anything else is text, except machine code, which carries no PTX.
std::string copy_of_code(const void* code) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, code, std::strlen(static_cast<const char*>(code)) < 4 ? 0 : 4);
  const auto* bytes = static_cast<const char*>(code);
  if (magic == wrapper_magic) {
    const void* inner = nullptr;
    std::memcpy(&inner, bytes + 8, sizeof inner);
    return copy_of_code(inner);
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

cudaLibrary_t load_library(std::string code, const std::string& label) {
  auto library = std::make_unique<Library>();
  library->code = std::move(code);
  try {
    library->module = Registry::get().add(read_images(library->code.data()), label);
  } catch (const std::exception& error) {
    Runtime::get().note(base::say(label, " cannot be read: ", error.what()));
    throw ApiError{cudaErrorInvalidKernelImage};
  }
  const std::lock_guard lock(Runtime::get().mutex);
  const auto handle = reinterpret_cast<cudaLibrary_t>(library.get());
  libraries().emplace(library.get(), std::move(library));
  return handle;
}

void unload_library(cudaLibrary_t handle) {
  Registry::get().remove(&module_of(handle));
  libraries().erase(handle);
}

Module& module_of(cudaLibrary_t handle) {
  const auto found = libraries().find(handle);
  require(found != libraries().end(), cudaErrorInvalidResourceHandle);
  return *found->second->module;
}

cudaLibrary_t library_of(const Module& module) {
  for (const auto& [handle, library] : libraries())
    if (library->module == &module) return reinterpret_cast<cudaLibrary_t>(library.get());
  return nullptr;
}

}  // namespace aisp::sim
