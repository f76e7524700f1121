// Compiles CUDA C++ to PTX with NVRTC, which needs no GPU. The library is loaded at run time;
// without it `available()` is false and tests skip.
#pragma once

#include <dlfcn.h>
#include <nvrtc.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/shared_library.hpp"

namespace aisp::oracle {

struct Compiled {
  std::string ptx;  // empty when it failed
  std::string log;
};

class Nvrtc {
 public:
  static const Nvrtc& get() {
    static const Nvrtc library;
    return library;
  }
  bool available() const { return static_cast<bool>(library_); }

  Compiled compile(const std::string& source, const std::string& architecture) const {
    std::vector<std::string> options = {"-arch=" + architecture, "-std=c++20", "-lineinfo",
                                        "-device-int128"};
    for (const std::string& folder : includes_) options.push_back("-I" + folder);
    std::vector<const char*> pointers;
    for (const std::string& option : options) pointers.push_back(option.c_str());
    Compiled compiled;
    nvrtcProgram program = nullptr;
    if (create_(&program, source.c_str(), "source.cu", 0, nullptr, nullptr) != NVRTC_SUCCESS)
      return compiled;
    const auto result = compile_(program, static_cast<int>(pointers.size()), pointers.data());
    compiled.log = text(program, log_size_, log_);
    if (result == NVRTC_SUCCESS) compiled.ptx = text(program, ptx_size_, ptx_);
    destroy_(&program);
    return compiled;
  }

 private:
  using GetSize = nvrtcResult(nvrtcProgram, std::size_t*);
  using GetText = nvrtcResult(nvrtcProgram, char*);

  Nvrtc() : library_("libnvrtc.so.13") {
    if (!library_) return;
    find("nvrtcCreateProgram", create_);
    find("nvrtcDestroyProgram", destroy_);
    find("nvrtcCompileProgram", compile_);
    find("nvrtcGetProgramLogSize", log_size_);
    find("nvrtcGetProgramLog", log_);
    find("nvrtcGetPTXSize", ptx_size_);
    find("nvrtcGetPTX", ptx_);
    if (library_) find_headers();
  }

  template <class Function>
  void find(const char* name, Function*& function) {
    if (!library_.find(function, name)) library_.close();
  }

  // The toolkit's headers lie beside the folder of the library.
  void find_headers() {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(create_), &info) == 0) return;
    auto folder = std::filesystem::canonical(info.dli_fname).parent_path();
    for (; folder != folder.root_path(); folder = folder.parent_path())
      if (std::filesystem::exists(folder / "include" / "cuda_fp16.h")) break;
    if (!std::filesystem::exists(folder / "include" / "cuda_fp16.h")) {
      library_.close();
      return;
    }
    includes_ = {(folder / "include").string(), (folder / "include" / "cccl").string()};
  }

  static std::string text(nvrtcProgram program, GetSize* size, GetText* read) {
    std::size_t bytes = 0;
    if (size(program, &bytes) != NVRTC_SUCCESS || bytes == 0) return "";
    std::string text(bytes, '\0');
    read(program, text.data());
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  base::SharedLibrary library_;
  std::vector<std::string> includes_;
  nvrtcResult (*create_)(nvrtcProgram*, const char*, const char*, int, const char* const*,
                         const char* const*) = nullptr;
  nvrtcResult (*destroy_)(nvrtcProgram*) = nullptr;
  nvrtcResult (*compile_)(nvrtcProgram, int, const char* const*) = nullptr;
  GetSize *log_size_ = nullptr, *ptx_size_ = nullptr;
  GetText *log_ = nullptr, *ptx_ = nullptr;
};

}  // namespace aisp::oracle
