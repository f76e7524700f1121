// Rounding directions of floating-point instructions, and arithmetic of the host done in them.
#pragma once

#include <cstdint>

#include "base/host/float_control.hpp"
#include "sim/program/modifiers.hpp"

namespace aisp::sim {

// rna: nearest, ties away from zero; no host rounds so.
enum class Round : std::uint8_t { rn, rz, rm, rp, rna };

inline constexpr Word<Round> roundings[] = {
    {"rn", Round::rn},
    {"rz", Round::rz},
    {"rm", Round::rm},
    {"rp", Round::rp},
};

// While it lives, arithmetic of this thread rounds as asked and, for `flush`, takes subnormal
// operands as zeros and turns subnormal results into zeros, where the host can do that as NVIDIA
// hardware does (base::host::tiny_after_rounding); sim/exec/arithmetic/floating/flushing.hpp is for
// the others. The barriers keep the compiler from moving loads and stores out of the scope:
// operands must come from memory and results go to memory within it.
class ArithmeticScope {
 public:
  ArithmeticScope(Round round, bool flush) : saved_(base::host::float_control()) {
    const auto rounding = static_cast<base::host::Rounding>(round);
    base::host::set_float_control(
        base::host::with_flushing(base::host::with_rounding(saved_, rounding), flush));
  }
  ~ArithmeticScope() { base::host::set_float_control(saved_); }
  ArithmeticScope(const ArithmeticScope&) = delete;
  ArithmeticScope& operator=(const ArithmeticScope&) = delete;

 private:
  base::host::FloatControl saved_;
};

}  // namespace aisp::sim
