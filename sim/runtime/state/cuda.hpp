// The types of the CUDA runtime. Its functions are declared with the visibility of what a library
// exports, while everything else here is hidden: include this instead of <cuda_runtime_api.h>.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
