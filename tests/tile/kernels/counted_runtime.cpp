#include "tests/tile/kernels/counted_runtime.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

namespace aisp::counted_runtime {
namespace {

std::atomic<bool> counting = false;
std::atomic<int> allocations = 0;
thread_local int inside = 0;  // the runtime
std::mutex mutex;
std::map<std::string, int>& calls() {
  static auto* const all = new std::map<std::string, int>;
  return *all;
}

struct Inside {
  explicit Inside(const char* name) {
    if (inside++ > 0 || !counting) return;
    const std::lock_guard lock(mutex);
    ++calls()[name];
  }
  ~Inside() { --inside; }
};

template <class Function>
Function* real(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) std::fprintf(stderr, "there is no %s\n", name), std::abort();
  return reinterpret_cast<Function*>(found);
}

}  // namespace

Counts count(const std::function<void()>& work) {
  calls().clear();
  allocations = 0;
  counting = true;
  work();
  counting = false;
  return {calls(), allocations};
}

}  // namespace aisp::counted_runtime

using namespace aisp::counted_runtime;

#define AISP_COUNTED(name, parameters, arguments)                                         \
  cudaError_t name parameters {                                                           \
    const Inside inside(#name);                                                           \
    static auto* const next = aisp::counted_runtime::real<cudaError_t parameters>(#name); \
    return next arguments;                                                                \
  }

// All that calls with and without a plan use of it.
extern "C" {
AISP_COUNTED(cudaGetDevice, (int* device), (device))
AISP_COUNTED(cudaSetDevice, (int device), (device))
AISP_COUNTED(cudaGetDeviceCount, (int* count), (count))
AISP_COUNTED(cudaGetLastError, (), ())
AISP_COUNTED(cudaPeekAtLastError, (), ())
AISP_COUNTED(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr what, int device),
             (value, what, device))
AISP_COUNTED(cudaMalloc, (void** memory, size_t bytes), (memory, bytes))
AISP_COUNTED(cudaFree, (void* memory), (memory))
AISP_COUNTED(cudaMemsetAsync, (void* memory, int value, size_t bytes, cudaStream_t stream),
             (memory, value, bytes, stream))
AISP_COUNTED(cudaMemcpyAsync,
             (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
             (to, from, bytes, kind, stream))
AISP_COUNTED(cudaStreamSynchronize, (cudaStream_t stream), (stream))
AISP_COUNTED(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status),
             (stream, status))
AISP_COUNTED(cudaStreamGetId, (cudaStream_t stream, unsigned long long* id), (stream, id))
AISP_COUNTED(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
AISP_COUNTED(cudaStreamDestroy, (cudaStream_t stream), (stream))
AISP_COUNTED(cudaThreadExchangeStreamCaptureMode, (cudaStreamCaptureMode * mode), (mode))
AISP_COUNTED(cudaFuncSetAttribute, (const void* function, cudaFuncAttribute what, int value),
             (function, what, value))
AISP_COUNTED(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
             (int* blocks, const void* function, int threads, size_t bytes),
             (blocks, function, threads, bytes))
AISP_COUNTED(cudaOccupancyMaxActiveClusters,
             (int* clusters, const void* function, const cudaLaunchConfig_t* config),
             (clusters, function, config))
AISP_COUNTED(cudaLaunchKernel,
             (const void* function, dim3 grid, dim3 block, void** arguments, size_t bytes,
              cudaStream_t stream),
             (function, grid, block, arguments, bytes, stream))
AISP_COUNTED(cudaLaunchKernelExC,
             (const cudaLaunchConfig_t* config, const void* function, void** arguments),
             (config, function, arguments))
}

// g++ takes free() for a mistake where it sees it beside a new expression.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  if (counting && inside == 0) ++allocations;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
