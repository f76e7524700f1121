// The form of floating-point instructions, and who executes them.
#pragma once

#include <cstdint>

#include "sim/exec/arithmetic/floating/op.hpp"
#include "sim/exec/arithmetic/floating/rounding.hpp"
#include "sim/exec/form.hpp"
#include "sim/program/op.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

struct FloatForm {
  FloatOp op{};
  Type type{};
  Type narrow = Type::none;  // sm_100: add.f32.f16 and the like, the type of the factors
  Round round = Round::rn;
  bool rounds : 1 = false;  // a rounding modifier was written
  bool ftz : 1 = false, sat : 1 = false, relu : 1 = false, oob : 1 = false;
  bool nan : 1 = false, xorsign : 1 = false, absolute : 1 = false;  // of min and max
  bool approx : 1 = false, full : 1 = false;                        // of div
  std::uint16_t inputs = 2;
};

Handler arithmetic_handler(const FloatForm& form);  // f32, f64, f32x2: add sub mul fma mad div
Handler half_handler(const FloatForm& form);        // f16, bf16 and pairs: add sub mul fma
Handler select_handler(const FloatForm& form);      // all types: neg abs min max

}  // namespace aisp::sim
