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

// 2^x for x up to 120 without the special-function unit, with a relative error of at most 2^-17; 0
// for minus infinity. x = n + f with |f| <= 1/2: a polynomial of f whose exponent is raised by n.
TILE_DEVICE float exp2_polynomial(float x) {
  constexpr float to_integer = 12582912.0f;  // adding it leaves the integer in the low bits
  x = fmaxf(x, -127.0f);
  const float shifted = x + to_integer;
  const float f = x - (shifted - to_integer);
  float series = fmaf(f, 0.0095828528f, 0.0559064249f);
  series = fmaf(series, f, 0.2402409862f);
  series = fmaf(series, f, 0.6931241934f);
  series = fmaf(series, f, 1.0f);
  return __int_as_float(__float_as_int(series) + (__float_as_int(shifted) << 23));
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
