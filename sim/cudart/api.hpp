// The declarations of the CUDA runtime with the visibility of what a library exports. Everything
// else in it is hidden. Include this instead of <cuda_runtime_api.h>.
#pragma once

#pragma GCC visibility push(default)
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#pragma GCC visibility pop

// For entries that the header does not declare.
#define AISP_API extern "C" [[gnu::visibility("default")]]
