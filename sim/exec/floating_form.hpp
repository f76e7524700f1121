// A floating-point instruction after its modifiers have been read, and who executes it.
#pragma once

#include <cstdint>

#include "sim/exec/floating.hpp"
#include "sim/exec/rounding.hpp"
#include "sim/program/op.hpp"
#include "sim/program/type.hpp"

namespace sim {

struct FloatForm {
  FloatOp op{};
  Type type{};
  Type narrow = Type::none;  // sm_100: add.f32.f16 and the like, the type of the factors
  Round round = Round::rn;
  bool rounds = false;  // a rounding modifier was written
  bool ftz = false, sat = false, relu = false, oob = false;
  bool nan = false, xorsign = false, absolute = false;  // of min and max
  bool approx = false, full = false;                    // of div
  int inputs = 2;

  // The part that handlers read from Op::imm.
  static constexpr std::uint64_t round_mask = 3, ftz_bit = 4, sat_bit = 8, relu_bit = 16,
                                 oob_bit = 32, nan_bit = 64, xorsign_bit = 128, abs_bit = 256;
  std::uint64_t imm() const {
    return static_cast<std::uint64_t>(round) | ftz * ftz_bit | sat * sat_bit | relu * relu_bit |
           oob * oob_bit | nan * nan_bit | xorsign * xorsign_bit | absolute * abs_bit;
  }
};

Handler arithmetic_handler(const FloatForm& form);  // f32, f64, f32x2: add sub mul fma mad div
Handler half_handler(const FloatForm& form);        // f16, bf16 and pairs: add sub mul fma
Handler select_handler(const FloatForm& form);      // all types: neg abs min max

}  // namespace sim
