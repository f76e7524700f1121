// The macros of the layout and atom layers. TILE_FN: a function that the host, a kernel and the
// constant evaluator can all call; without it nvcc refuses a host-only constexpr call in device
// code. TILE_INLINE stands in front of what must not become a call; NVRTC knows no attribute of
// g++'s for it.
#pragma once

#ifdef __CUDACC__
#define TILE_FN __host__ __device__ constexpr
#define TILE_INLINE __forceinline__
#else
#define TILE_FN constexpr
#define TILE_INLINE [[gnu::always_inline]]
#endif
