// The types an instruction can name, and what they take in a register.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace aisp::sim {

enum class Type : std::uint8_t {
  none,
  pred,
  b1,
  b4,
  b8,
  b16,
  b32,
  b64,
  b128,
  u2,
  u4,
  u8,
  u16,
  u32,
  u64,
  s2,
  s4,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  tf32,
  f32,
  f64,
  f16x2,
  bf16x2,
  u16x2,
  s16x2,
  f32x2,
  u8x4,
  s8x4,
  b8x4,
  e4m3,
  e5m2,
  e3m2,
  e2m3,
  e2m1,
  ue8m0,
  ue4m3,
  e4m3x2,
  e5m2x2,
  e3m2x2,
  e2m3x2,
  e2m1x2,
  ue8m0x2,
  e4m3x4,
  e5m2x4,
  e3m2x4,
  e2m3x4,
  e2m1x4,
};

std::optional<Type> parse_type(std::string_view name);  // "u32"
std::string_view name_of(Type type);
int bits_of(Type type);  // 32 for u32 and f16x2; 19 bits of tf32 live in 32; pred: 1
bool is_signed(Type type);
bool is_integer(Type type);  // uN and sN; bN is neither integer nor float
bool is_float(Type type);    // f16, bf16, tf32, f32, f64 and the packed pairs of them
bool is_bits(Type type);     // bN

// May a register declared with one type stand where an instruction wants another? Sizes are equal
// and one of the two is bN, or both are plain integers, or they are the same. `wider` (ld, st, cvt)
// lets the register be larger than a plain type.
bool fits(Type declared, Type type, bool wider);

}  // namespace aisp::sim
