// Asks nvJitLink, which needs no GPU, what it thinks of a PTX text: the judge of what is legal.
// The library is loaded at run time; without it `available()` is false and tests skip.
#pragma once

#define NVJITLINK_NO_INLINE  // only the types are used
#include <nvJitLink.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/shared_library.hpp"

namespace aisp::oracle {

struct Verdict {
  bool accepted = false;
  std::string log;          // what the compiler said, errors first
  std::vector<char> cubin;  // ELF, when accepted
  // The text is not even grammatical, as opposed to wrong types, names or targets.
  bool is_syntax_error() const { return log.find("Parsing error") != std::string::npos; }
};

class JitLink {
 public:
  static const JitLink& get() {
    static const JitLink library;
    return library;
  }
  bool available() const { return static_cast<bool>(library_); }

  Verdict judge(const std::string& ptx, const std::string& architecture = "sm_90a") const {
    const std::string arch_option = "-arch=" + architecture;
    const char* options[] = {arch_option.c_str(), "-O0"};
    Verdict verdict;
    nvJitLinkHandle handle = nullptr;
    if (create_(&handle, 2, options) != NVJITLINK_SUCCESS) return verdict;
    verdict.accepted = add_(handle, NVJITLINK_INPUT_PTX, ptx.c_str(), ptx.size() + 1,
                            "snippet.ptx") == NVJITLINK_SUCCESS &&
                       complete_(handle) == NVJITLINK_SUCCESS;
    verdict.log = log(handle, error_size_, error_) + log(handle, info_size_, info_);
    std::size_t bytes = 0;
    if (verdict.accepted && cubin_size_(handle, &bytes) == NVJITLINK_SUCCESS) {
      verdict.cubin.resize(bytes);
      cubin_(handle, verdict.cubin.data());
    }
    destroy_(&handle);
    return verdict;
  }

 private:
  using GetSize = nvJitLinkResult(nvJitLinkHandle, std::size_t*);
  using GetText = nvJitLinkResult(nvJitLinkHandle, char*);

  JitLink() : library_("libnvJitLink.so.13") {
    if (!library_) return;
    find("nvJitLinkCreate", create_);
    find("nvJitLinkDestroy", destroy_);
    find("nvJitLinkAddData", add_);
    find("nvJitLinkComplete", complete_);
    find("nvJitLinkGetErrorLogSize", error_size_);
    find("nvJitLinkGetErrorLog", error_);
    find("nvJitLinkGetInfoLogSize", info_size_);
    find("nvJitLinkGetInfoLog", info_);
    find("nvJitLinkGetLinkedCubinSize", cubin_size_);
    find("nvJitLinkGetLinkedCubin", cubin_);
  }

  template <class Function>
  void find(const char* name, Function*& function) {
    if (!library_.find(function, name)) library_.close();
  }

  static std::string log(nvJitLinkHandle handle, GetSize* size, GetText* read) {
    std::size_t bytes = 0;
    if (size(handle, &bytes) != NVJITLINK_SUCCESS || bytes == 0) return "";
    std::string text(bytes, '\0');
    read(handle, text.data());
    while (!text.empty() && text.back() == '\0') text.pop_back();
    return text;
  }

  base::SharedLibrary library_;
  nvJitLinkResult (*create_)(nvJitLinkHandle*, std::uint32_t, const char* const*) = nullptr;
  nvJitLinkResult (*destroy_)(nvJitLinkHandle*) = nullptr;
  nvJitLinkResult (*add_)(nvJitLinkHandle, nvJitLinkInputType, const void*, std::size_t,
                          const char*) = nullptr;
  nvJitLinkResult (*complete_)(nvJitLinkHandle) = nullptr;
  GetSize *error_size_ = nullptr, *info_size_ = nullptr, *cubin_size_ = nullptr;
  GetText *error_ = nullptr, *info_ = nullptr;
  nvJitLinkResult (*cubin_)(nvJitLinkHandle, void*) = nullptr;
};

}  // namespace aisp::oracle
