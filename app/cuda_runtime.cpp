// Finds the CUDA runtime when the program starts. The loader is not told that the program needs
// one: where there is none it would end it with a line of its own, and `aisp layout` or `aisp
// check` have no use for it. What a toolkit brings comes first; without a toolkit the program's own
// simulator stands in, so that modules with kernels can be loaded.
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/refuse.hpp"
#include "lab/device/cuda_runtime.hpp"
#include "lab/device/simulator.hpp"

// cuda_calls.cpp, which the build writes: every call jumps to its place in the table.
extern "C" {
extern const std::size_t aisp_cuda_call_count;
extern const char* const aisp_cuda_call_names[];
extern void* aisp_cuda_calls[];
}

namespace aisp::app {
namespace {

using lab::CudaRuntime;

constexpr const char* library = "libcudart.so.13";

void* open(const std::string& file) { return dlopen(file.c_str(), RTLD_LAZY | RTLD_GLOBAL); }

void* open_toolkit() {
  // Also the one that is in the process already: the simulator that was put in front.
  if (void* found = open(library)) return found;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char* root = std::getenv(variable))
      if (void* found = open(std::string(root) + "/lib64/" + library)) return found;
  for (const char* folder : {AISP_TOOLKIT_LIBRARIES, "/usr/local/cuda/lib64", "/opt/cuda/lib64"})
    if (*folder != '\0')
      if (void* found = open(std::string(folder) + "/" + library)) return found;
  return nullptr;
}

void* open_own_simulator() {
  for (const auto& place : lab::simulator_places())
    if (void* found = open(place.string())) return found;
  return nullptr;
}

// What calls answer where there is no runtime. The lab asks lab::cuda_runtime() before it believes
// the error.
cudaError_t no_runtime() { return cudaErrorInsufficientDriver; }
const char* no_runtime_text() { return "there is no libcudart.so.13"; }

void no_such_call() {
  std::fputs(
      "aisp: the libcudart.so.13 of this machine lacks a call that this program makes; install "
      "the CUDA 13 toolkit that it was built with, or a newer one\n",
      stderr);
  _exit(static_cast<int>(base::Exit::environment));
}

void* call_of(void* runtime, const std::string& name) {
  if (runtime == nullptr)
    return name.starts_with("cudaGetError") ? reinterpret_cast<void*>(no_runtime_text)
                                            : reinterpret_cast<void*>(no_runtime);
  void* found = dlsym(runtime, name.c_str());
  return found != nullptr ? found : reinterpret_cast<void*>(no_such_call);
}

// Before the constructors that register kernels: theirs have no priority.
[[gnu::constructor(101)]] void find_cuda_runtime() {
  void* runtime = open_toolkit();
  if (runtime == nullptr) {
    runtime = open_own_simulator();
    lab::set_cuda_runtime(runtime != nullptr ? CudaRuntime::stand_in : CudaRuntime::none);
  }
  for (std::size_t at = 0; at < aisp_cuda_call_count; ++at)
    aisp_cuda_calls[at] = call_of(runtime, aisp_cuda_call_names[at]);
}

}  // namespace
}  // namespace aisp::app
