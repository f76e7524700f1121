// Two floats in one instruction, from sm_100 on: as many results per instruction again from the
// units that multiply and add.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// The first one is in the low half.
using FloatPair = std::uint64_t;

// Not volatile: none of these has an effect, the compiler may move, merge and drop them.
TILE_DEVICE FloatPair pack_floats(float first, float second) {
  FloatPair pair;
  asm("mov.b64 %0, {%1, %2};" : "=l"(pair) : "f"(first), "f"(second));
  return pair;
}
TILE_DEVICE FloatPair both(float value) { return pack_floats(value, value); }
TILE_DEVICE float2 unpack_floats(FloatPair pair) {
  float2 values;
  asm("mov.b64 {%0, %1}, %2;" : "=f"(values.x), "=f"(values.y) : "l"(pair));
  return values;
}

TILE_DEVICE FloatPair add_pair(FloatPair a, FloatPair b) {
  FloatPair sum;
  asm("add.rn.f32x2 %0, %1, %2;" : "=l"(sum) : "l"(a), "l"(b));
  return sum;
}
TILE_DEVICE FloatPair subtract_pair(FloatPair a, FloatPair b) {
  FloatPair difference;
  asm("sub.rn.f32x2 %0, %1, %2;" : "=l"(difference) : "l"(a), "l"(b));
  return difference;
}
TILE_DEVICE FloatPair multiply_pair(FloatPair a, FloatPair b) {
  FloatPair product;
  asm("mul.rn.f32x2 %0, %1, %2;" : "=l"(product) : "l"(a), "l"(b));
  return product;
}
TILE_DEVICE FloatPair fma_pair(FloatPair a, FloatPair b, FloatPair c) {
  FloatPair sum;
  asm("fma.rn.f32x2 %0, %1, %2, %3;" : "=l"(sum) : "l"(a), "l"(b), "l"(c));
  return sum;
}

// exp2_polynomial() of both, bit for bit.
TILE_DEVICE float2 exp2_polynomial_pair(FloatPair exponents) {
  const FloatPair to_integer = both(12582912.0f);  // adding it leaves the integer in the low bits
  const float2 given = unpack_floats(exponents);
  const FloatPair x = pack_floats(fmaxf(given.x, -127.0f), fmaxf(given.y, -127.0f));
  const FloatPair shifted = add_pair(x, to_integer);
  const FloatPair f = subtract_pair(x, subtract_pair(shifted, to_integer));
  FloatPair series = fma_pair(f, both(0.0095828528f), both(0.0559064249f));
  series = fma_pair(series, f, both(0.2402409862f));
  series = fma_pair(series, f, both(0.6931241934f));
  const float2 value = unpack_floats(fma_pair(series, f, both(1.0f)));
  const float2 integer = unpack_floats(shifted);
  const auto raised = [](float of, float by) {
    return __int_as_float(__float_as_int(of) + (__float_as_int(by) << 23));
  };
  return {raised(value.x, integer.x), raised(value.y, integer.y)};
}

}  // namespace aisp::tile::arch
