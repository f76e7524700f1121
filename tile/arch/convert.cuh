// Between float and the narrow formats, two numbers at a time: the first one is in the low bits, as
// two neighbours lie in memory. Round to nearest even; fp8 saturates to its largest finite number,
// the 16-bit formats go to infinity. fp8 needs sm_89,
// differences of bf16 sm_90, the rest sm_80.
#pragma once

#include "tile/arch/target.cuh"

namespace aisp::tile::arch {

// Not volatile: none of these has an effect, the compiler may move, merge and drop them.
TILE_DEVICE std::uint32_t pack_bf16(float first, float second) {
  std::uint32_t packed;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(second), "f"(first));
  return packed;
}
TILE_DEVICE std::uint32_t pack_f16(float first, float second) {
  std::uint32_t packed;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(second), "f"(first));
  return packed;
}
TILE_DEVICE std::uint16_t pack_e4m3(float first, float second) {
  std::uint16_t packed;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(packed) : "f"(second), "f"(first));
  return packed;
}
TILE_DEVICE std::uint16_t pack_e5m2(float first, float second) {
  std::uint16_t packed;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(packed) : "f"(second), "f"(first));
  return packed;
}

TILE_DEVICE float f16_to_float(std::uint16_t code) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(code));
  return value;
}
TILE_DEVICE float2 f16_to_floats(std::uint32_t pair) {
  float2 values;
  asm("{\n  .reg .b16 first, second;\n  mov.b32 {first, second}, %2;\n"
      "  cvt.f32.f16 %0, first;\n  cvt.f32.f16 %1, second;\n}"
      : "=f"(values.x), "=f"(values.y)
      : "r"(pair));
  return values;
}

// Every fp8 number is an f16 number.
TILE_DEVICE std::uint32_t e4m3_to_f16(std::uint16_t codes) {
  std::uint32_t packed;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(packed) : "h"(codes));
  return packed;
}
TILE_DEVICE std::uint32_t e5m2_to_f16(std::uint16_t codes) {
  std::uint32_t packed;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(packed) : "h"(codes));
  return packed;
}

// Two differences.
TILE_DEVICE std::uint32_t subtract_f16(std::uint32_t from, std::uint32_t less) {
  std::uint32_t difference;
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(difference) : "r"(from), "r"(less));
  return difference;
}
TILE_DEVICE std::uint32_t subtract_bf16(std::uint32_t from, std::uint32_t less) {
  std::uint32_t difference;
  asm("sub.rn.bf16x2 %0, %1, %2;" : "=r"(difference) : "r"(from), "r"(less));
  return difference;
}

// To the nearest integer, ties to even; clamped to the range of s32, NaN becomes 0.
TILE_DEVICE std::int32_t round_to_s32(float value) {
  std::int32_t rounded;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(rounded) : "f"(value));
  return rounded;
}

}  // namespace aisp::tile::arch
