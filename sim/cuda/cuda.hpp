// The driver's types and functions, old versions of them included. Its header is asked for every
// name that the library exports, as whoever builds the driver does.
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>

// Of a header that not every installation has.
extern "C" {
CUresult cuProfilerStart();
CUresult cuProfilerStop();
}
