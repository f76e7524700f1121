// What a binder tells its handler beyond the operands: a form, one small struct per family of
// instructions, that lies in Op::imm. An instruction that has a single number to say (an offset, a
// count) keeps that in Op::imm itself.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "sim/program/op.hpp"

namespace aisp::sim {

template <class Form>
concept FitsImmediate = std::is_trivially_copyable_v<Form> && sizeof(Form) <= sizeof(Op::imm);

template <FitsImmediate Form>
void set_form(Op& op, const Form& form) {
  op.imm = 0;
  std::memcpy(&op.imm, &form, sizeof form);
}

// The form, or what it begins with. Cast as a whole, it is taken apart in a register: piece by
// piece from memory takes several times as many instructions.
template <FitsImmediate Form>
[[gnu::always_inline]] inline Form form_of(const Op& op) {
  if constexpr (sizeof(Form) == sizeof op.imm) {
    return std::bit_cast<Form>(op.imm);
  } else {
    struct Padded {
      Form form;
      std::byte rest[sizeof op.imm - sizeof(Form)];
    };
    return std::bit_cast<Padded>(op.imm).form;
  }
}

}  // namespace aisp::sim
