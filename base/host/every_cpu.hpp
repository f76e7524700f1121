// AISP_ON_EVERY_CPU in front of a function with vector loops in float64: it is compiled for several
// levels of the host's vectors, and the loader picks one. Products and sums are fused where the
// processor can, which halves the time: of AArch64 and of x86 with FMA the results are the same, of
// x86 without they may differ in the last bit. For references, never for simulated values.
#pragma once

#if defined(__clang__)  // reads the code, does not build it
#define AISP_ON_EVERY_CPU
#elif defined(__x86_64__)
#define AISP_ON_EVERY_CPU                                                                    \
  __attribute__((target_clones("avx512f", "avx2,fma", "default"), optimize("O3,fp-contract=" \
                                                                           "fast")))
#else
#define AISP_ON_EVERY_CPU __attribute__((optimize("O3,fp-contract=fast")))
#endif
