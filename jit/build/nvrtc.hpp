// NVRTC, NVIDIA's compiler as a library. It is loaded at first use and needs no GPU; declared here,
// because a machine that builds this may not have its header.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace aisp::jit {

struct NvrtcProgram;  // the library's own

struct Nvrtc {
  int (*version)(int*, int*);
  int (*count_architectures)(int*);
  int (*architectures)(int*);
  const char* (*error_string)(int);
  int (*create)(NvrtcProgram**, const char* text, const char* name, int headers,
                const char* const* texts, const char* const* names);
  int (*destroy)(NvrtcProgram**);
  int (*compile)(NvrtcProgram*, int options, const char* const* words);
  int (*log_size)(NvrtcProgram*, std::size_t*);
  int (*log)(NvrtcProgram*, char*);
  int (*ptx_size)(NvrtcProgram*, std::size_t*);
  int (*ptx)(NvrtcProgram*, char*);
  int (*cubin_size)(NvrtcProgram*, std::size_t*);
  int (*cubin)(NvrtcProgram*, char*);

  std::string release;             // "13.0"
  std::vector<int> known;          // 75, 80, 90, …
  std::vector<std::string> words;  // options that say where the toolkit's own headers are
};

// Refuses (Exit::environment) where none of the names leads to a library that has all this.
Nvrtc load_nvrtc(const std::vector<std::string>& names);

// $AISP_NVRTC_LIBRARY, else the loader's, else a toolkit's.
std::vector<std::string> nvrtc_names();

// The one of this process. A failure is not kept: the next call looks again.
const Nvrtc& nvrtc();

}  // namespace aisp::jit
