#include "lab/device/cuda_runtime.hpp"

namespace aisp::lab {
namespace {

constinit CudaRuntime known = CudaRuntime::found;  // set before other statics are made

}  // namespace

CudaRuntime cuda_runtime() { return known; }
void set_cuda_runtime(CudaRuntime runtime) { known = runtime; }

}  // namespace aisp::lab
