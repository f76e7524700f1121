// The form of cvt, and who executes it.
#pragma once

#include <cstdint>

#include "sim/exec/arithmetic/floating/rounding.hpp"
#include "sim/exec/form.hpp"
#include "sim/program/binding.hpp"
#include "sim/program/op.hpp"
#include "sim/program/type.hpp"

namespace aisp::sim {

struct ConvertForm {
  Type to{}, from{};
  std::uint8_t to_bits = 32;  // of the destination register, which may be wider than the type
  Round round = Round::rn;
  bool from_wide : 1 = false;  // lanes of the source register are 64 bits
  bool integral : 1 = false;   // .rni .rzi .rmi .rpi: to an integral value
  bool rounds : 1 = false;     // a rounding modifier was written
  bool ftz : 1 = false, sat : 1 = false, relu : 1 = false, finite : 1 = false;
  bool stochastic : 1 = false;  // .rs
};

// Integers to integers. This also sets the op's form, which is another one where nothing saturates.
Handler integer_conversion(Op& op, const ConvertForm& form);
Handler value_conversion(const ConvertForm& form);   // one number, at least one side floating
Handler packed_conversion(const ConvertForm& form);  // pairs and tf32; null: there is none
Handler fast_conversion(const ConvertForm& form);    // frequent ones, vectorised; null: generic

void bind_pack(Binding& binding);  // cvt.pack
void bind_stochastic(Binding& binding, const ConvertForm& form);

}  // namespace aisp::sim
