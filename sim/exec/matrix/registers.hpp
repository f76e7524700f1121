// What matrix operands take in registers, and how the device sums the products of their types.
#pragma once

#include "sim/exec/matrix/product/product.hpp"
#include "sim/machine/device_model.hpp"
#include "sim/program/op.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

// Bits an element takes in a register: tf32 takes 32.
constexpr int register_bits(Type type) {
  switch (type) {
    case Type::b1:
      return 1;
    case Type::s4:
    case Type::u4:
      return 4;
    case Type::s8:
    case Type::u8:
    case Type::e4m3:
    case Type::e5m2:
      return 8;
    case Type::f16:
    case Type::bf16:
      return 16;
    case Type::f64:
      return 64;
    default:
      return 32;
  }
}
// Registers a lane holds of a matrix, and the type they are declared with.
constexpr int register_count(int rows, int columns, Type type) {
  const int bits = register_bits(type);
  return rows * columns * bits / (lanes * (bits == 64 ? 64 : 32));
}
constexpr Type register_type(Type type) {
  const bool own = type == Type::f64 || type == Type::f32 || type == Type::s32;
  return own ? type : Type::b32;
}

constexpr bool is_fp8(Type type) { return type == Type::e4m3 || type == Type::e5m2; }

// How the device sums the products of these inputs. mma.sync turns fp8 into f16 first; wgmma does
// not.
inline FloatRule float_rule(const DeviceModel::TensorRule& rule, Type input, bool is_wgmma) {
  if (input == Type::tf32) return {rule.tf32_terms, rule.tf32_bits};
  if (is_fp8(input) && is_wgmma) return {rule.fp8_terms, rule.fp8_bits};
  return {rule.f16_terms, rule.f16_bits};
}

}  // namespace aisp::sim
