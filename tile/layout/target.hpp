// The one macro of the layout and atom layers: a function that the host, a kernel and the constant
// evaluator can all call. Without it nvcc refuses a host-only constexpr call in device code.
#pragma once

#ifdef __CUDACC__
#define TILE_FN __host__ __device__ constexpr
#else
#define TILE_FN constexpr
#endif
