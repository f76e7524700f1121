// A cvt after its modifiers have been read, and who executes it.
#pragma once

#include <cstdint>

#include "sim/exec/rounding.hpp"
#include "sim/program/binding.hpp"
#include "sim/program/op.hpp"
#include "sim/program/type.hpp"

namespace sim {

struct ConvertForm {
  Type to{}, from{};
  int to_bits = 32;        // of the destination register, which may be wider than the type
  bool from_wide = false;  // lanes of the source register are 64 bits
  Round round = Round::rn;
  bool integral = false;  // .rni .rzi .rmi .rpi: to an integral value
  bool rounds = false;    // a rounding modifier was written
  bool ftz = false, sat = false, relu = false, finite = false;

  // Op::imm holds all of it.
  std::uint64_t imm() const {
    return static_cast<std::uint64_t>(round) | std::uint64_t{integral} << 3 |
           std::uint64_t{ftz} << 4 | std::uint64_t{sat} << 5 | std::uint64_t{relu} << 6 |
           std::uint64_t{finite} << 7 | std::uint64_t{from_wide} << 8 |
           static_cast<std::uint64_t>(to_bits) << 16 | static_cast<std::uint64_t>(from) << 24 |
           static_cast<std::uint64_t>(to) << 32;
  }
  static ConvertForm of(const Op& op) {
    ConvertForm form;
    form.round = static_cast<Round>(op.imm & 7);
    form.integral = (op.imm >> 3 & 1) != 0;
    form.ftz = (op.imm >> 4 & 1) != 0;
    form.sat = (op.imm >> 5 & 1) != 0;
    form.relu = (op.imm >> 6 & 1) != 0;
    form.finite = (op.imm >> 7 & 1) != 0;
    form.from_wide = (op.imm >> 8 & 1) != 0;
    form.to_bits = static_cast<int>(op.imm >> 16 & 0xff);
    form.from = static_cast<Type>(op.imm >> 24 & 0xff);
    form.to = static_cast<Type>(op.imm >> 32 & 0xff);
    return form;
  }
};

Handler integer_conversion(
    const ConvertForm& form);  // integers to integers, with an imm of its own
std::uint64_t integer_conversion_imm(const ConvertForm& form);
Handler value_conversion(const ConvertForm& form);   // one number, at least one side floating
Handler packed_conversion(const ConvertForm& form);  // pairs and tf32; null: there is none
Handler fast_conversion(const ConvertForm& form);    // frequent ones, vectorised; null: generic

void bind_pack(Binding& binding);  // cvt.pack

}  // namespace sim
