// What a binder tells its handler beyond the operands: a form, one small struct per family of
// instructions, that lies in Op::imm. An instruction that has a single number to say (an offset, a
// count) keeps that in Op::imm itself.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "sim/program/op.hpp"

namespace sim {

template <class Form>
concept FitsImmediate = std::is_trivially_copyable_v<Form> && sizeof(Form) <= sizeof(Op::imm);

template <FitsImmediate Form>
void set_form(Op& op, const Form& form) {
  op.imm = 0;
  std::memcpy(&op.imm, &form, sizeof form);
}

// The form, or what it begins with.
template <FitsImmediate Form>
[[gnu::always_inline]] inline Form form_of(const Op& op) {
  std::array<std::byte, sizeof(Form)> bytes;
  std::memcpy(bytes.data(), &op.imm, sizeof bytes);
  return std::bit_cast<Form>(bytes);
}

}  // namespace sim
