// Two floats in one instruction, from sm_100 on: as many results per instruction again from the
// units that multiply and add.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// Not volatile: none of these has an effect, the compiler may move, merge and drop them.
TILE_DEVICE std::uint64_t pack_floats(float2 values) {
  std::uint64_t packed;
  asm("mov.b64 %0, {%1, %2};" : "=l"(packed) : "f"(values.x), "f"(values.y));
  return packed;
}
TILE_DEVICE float2 unpack_floats(std::uint64_t packed) {
  float2 values;
  asm("mov.b64 {%0, %1}, %2;" : "=f"(values.x), "=f"(values.y) : "l"(packed));
  return values;
}

TILE_DEVICE float2 add_pair(float2 a, float2 b) {
  std::uint64_t sum;
  asm("add.rn.f32x2 %0, %1, %2;" : "=l"(sum) : "l"(pack_floats(a)), "l"(pack_floats(b)));
  return unpack_floats(sum);
}
TILE_DEVICE float2 multiply_pair(float2 a, float2 b) {
  std::uint64_t product;
  asm("mul.rn.f32x2 %0, %1, %2;" : "=l"(product) : "l"(pack_floats(a)), "l"(pack_floats(b)));
  return unpack_floats(product);
}
TILE_DEVICE float2 fma_pair(float2 a, float2 b, float2 c) {
  std::uint64_t sum;
  asm("fma.rn.f32x2 %0, %1, %2, %3;"
      : "=l"(sum)
      : "l"(pack_floats(a)), "l"(pack_floats(b)), "l"(pack_floats(c)));
  return unpack_floats(sum);
}

// exp2_polynomial() of both, bit for bit.
TILE_DEVICE float2 exp2_polynomial_pair(float2 x) {
  const auto both = [](float value) { return float2{value, value}; };
  constexpr float to_integer = 12582912.0f;  // adding it leaves the integer in the low bits
  x = {fmaxf(x.x, -127.0f), fmaxf(x.y, -127.0f)};
  const float2 shifted = add_pair(x, both(to_integer));
  const float2 f = fma_pair(add_pair(shifted, both(-to_integer)), both(-1.0f), x);
  float2 series = fma_pair(f, both(0.0095828528f), both(0.0559064249f));
  series = fma_pair(series, f, both(0.2402409862f));
  series = fma_pair(series, f, both(0.6931241934f));
  series = fma_pair(series, f, both(1.0f));
  const auto raised = [](float value, float shift) {
    return __int_as_float(__float_as_int(value) + (__float_as_int(shift) << 23));
  };
  return {raised(series.x, shifted.x), raised(series.y, shifted.y)};
}

}  // namespace aisp::tile::arch
