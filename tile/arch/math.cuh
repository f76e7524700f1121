// Single instructions on floats that C++ has no operator for.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// Relative error at most 2^-11; exactly -1 or 1 where the true value rounds to it.
TILE_DEVICE float tanh_approximate(float x) {
  float y;
  asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// 2^x with a relative error of at most 2^-22; subnormal results become 0.
TILE_DEVICE float exp2_approximate(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

// The larger one; NaN if either is, unlike fmaxf.
TILE_DEVICE float maximum_or_nan(float a, float b) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
}

}  // namespace aisp::tile::arch
