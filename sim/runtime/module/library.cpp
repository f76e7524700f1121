#include "sim/runtime/module/library.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>
#include <map>
#include <memory>

#include "base/refuse.hpp"
#include "sim/runtime/module/code_in_memory.hpp"
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

template <class Read>
auto readable(const std::string& label, Read read) {
  try {
    return read();
  } catch (const base::BrokenCode& error) {
    Runtime::get().note(base::say(label, " cannot be read: ", error.what()));
    throw ApiError{cudaErrorInvalidKernelImage};
  }
}

}  // namespace

std::string copy_of_code(const void* code, const std::string& label) {
  return readable(label, [&] { return std::string(code_at(code)); });
}

std::string copy_of_code(const void* code, std::size_t bytes, const std::string& label) {
  return readable(label, [&] {
    const std::size_t there = readable_bytes(code, bytes);
    if (there < bytes)
      throw base::BrokenCode(base::say("of its ", bytes, " bytes ", there, " can be read"));
    const std::string_view given(static_cast<const char*>(code), bytes);
    return std::string(base::magic_of(given) == wrapper_magic ? code_at(code) : given);
  });
}

// Nothing but a file has an end: a pipe may never come to one.
std::string code_of_file(const char* path, const std::string& label) {
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  require(file >= 0, cudaErrorFileNotFound);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(fdopen(file, "rb"), std::fclose);
  require(stream != nullptr, cudaErrorFileNotFound);
  return readable(label, [&] {
    struct stat status {};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
      throw base::BrokenCode("it is no regular file");
    if (static_cast<std::uint64_t>(status.st_size) > base::largest_code)
      throw base::BrokenCode(
          base::say("a file of ", status.st_size, " bytes, at most are ", base::largest_code));
    std::string code(static_cast<std::size_t>(status.st_size), '\0');
    code.resize(std::fread(code.data(), 1, code.size(), stream.get()));
    return code;
  });
}

std::vector<Image> images_in(std::string_view code, const std::string& label) {
  return readable(label, [&] { return read_images(code); });
}

std::string text_in(const Image& image, const std::string& label) {
  return readable(label, [&] { return ptx_text(image); });
}

cudaLibrary_t load_library(std::string code, const std::string& label) {
  auto library = std::make_unique<Library>();
  library->code = std::move(code);
  library->module = Registry::get().add(images_in(library->code, label), label);
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
