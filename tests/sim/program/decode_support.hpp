// A small opcode table and helpers for tests of the decoder: handlers do nothing.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "sim/program/binding.hpp"
#include "sim/program/opcode.hpp"
#include "sim/program/program.hpp"
#include "sim/ptx/module.hpp"

namespace aisp::sim::testing {

inline Flow do_nothing(Warp&, const Op&, Mask) { return Flow::next; }

inline void bind_binary(Binding& b) {  // add.s32 d, a, b
  const Type type = b.type();
  b.expect_operands(3, 3);
  b.op.dst = b.write(0, type);
  b.op.a = b.read(1, type);
  b.op.b = b.read(2, type);
  b.op.run = do_nothing;
}

inline void bind_add(Binding& b) {  // with .cc
  if (b.accept("cc")) b.op.dst2 = b.write_condition_code();
  bind_binary(b);
}

inline void bind_addc(Binding& b) {
  b.op.c = b.read_condition_code();
  bind_binary(b);
}

inline void bind_mov(Binding& b) {
  const Type type = b.type();
  b.expect_operands(2, 2);
  b.op.run = do_nothing;
  if (type == Type::pred) {
    bool negated = false;
    b.op.dst = b.write_predicate(b.operand(0));
    b.op.a = b.read_predicate(b.operand(1), negated);
    return;
  }
  const auto& to = b.parts(b.operand(0));
  if (to.size() > 1) {
    for (const auto& part : to) b.list(b.write(part, Type::b32));
    b.op.a = b.read(1, type);
    return;
  }
  b.op.dst = b.write(b.operand(0), type);
  if (b.is_volatile_special(b.operand(1))) {
    b.op.imm = b.volatile_special(b.operand(1)).size();
  } else if (b.is_variable(b.operand(1))) {
    const BoundAddress at = b.address_of(b.operand(1), type);
    b.op.a = at.base;
    b.op.imm = static_cast<std::uint64_t>(at.offset);
  } else {
    b.op.a = b.read(1, type);
  }
}

inline void bind_setp(Binding& b) {
  b.take();  // comparison
  const Type type = b.type();
  b.op.dst = b.write_predicate(b.operand(0));
  b.op.a = b.read(1, type);
  b.op.b = b.read(2, type);
  b.op.run = do_nothing;
}

// imm: the offset; d: 1 in the frame, 2 in the constant bank, 0 elsewhere.
inline void bind_memory(Binding& b, int value, int address) {
  b.accept_any({"param", "shared", "global", "const", "local"});
  const Type type = b.type();
  bool wide = false;
  if (value == 0)
    b.op.dst = b.write_relaxed(b.operand(0), type, wide);
  else
    b.op.b = b.read_relaxed(b.operand(1), type, wide);
  const BoundAddress at = b.address(address);
  b.op.a = at.base;
  b.op.imm = static_cast<std::uint64_t>(at.offset);
  b.op.d = at.base != no_ref ? 0 : at.in_frame ? 1 : 2;
  b.op.run = do_nothing;
}

inline void bind_branch(Binding& b) {
  b.accept("uni");
  b.branch_to(b.operand(0).name);
  b.op.run = do_nothing;
}

inline void bind_table(Binding& b) {
  b.op.a = b.read(0, Type::u32);
  b.branch_table(b.operand(1).name);
  b.op.run = do_nothing;
}

inline void bind_call(Binding& b) {
  b.accept("uni");
  b.call();
  b.op.run = do_nothing;
}

inline void bind_plain(Binding& b) {
  b.accept("uni");
  b.op.run = do_nothing;
}

inline void bind_product(Binding& b) {  // wgmma.test {d...}, a
  for (const auto& part : b.operand(0).parts) b.list(b.read_write(part, Type::f32));
  b.op.a = b.read(1, Type::b64);
  b.keep_registers();
  b.op.run = do_nothing;
}

inline const OpcodeTable& small_table() {
  static const OpcodeRow rows[] = {
      {"add", OpClass::integer, bind_add, ""},
      {"addc", OpClass::integer, bind_addc, ""},
      {"and", OpClass::logic, bind_binary, ""},
      {"mov", OpClass::move, bind_mov, ""},
      {"setp", OpClass::compare, bind_setp, ""},
      {"ld", OpClass::load, [](Binding& b) { bind_memory(b, 0, 1); }, ""},
      {"st", OpClass::store, [](Binding& b) { bind_memory(b, 1, 0); }, ""},
      {"bra", OpClass::branch, bind_branch, ""},
      {"brx.idx", OpClass::branch, bind_table, ""},
      {"call", OpClass::branch, bind_call, ""},
      {"ret", OpClass::branch, bind_plain, ""},
      {"exit", OpClass::branch, bind_plain, ""},
      {"wgmma.test", OpClass::tensor, bind_product, ""},
      {"tex", OpClass::other, nullptr, ""},
  };
  static const OpcodeTable table({rows});
  return table;
}

struct Decoded {
  Program program;
  std::map<std::uint64_t, std::vector<std::byte>> written;  // by address
};

inline Decoded decode_text(const std::string& body) {
  Decoded decoded;
  std::uint64_t next = 0x10000;
  const Placer place = [&](const VariablePlacement& wanted) {
    const std::uint64_t at = (next + wanted.align - 1) / wanted.align * wanted.align;
    next = at + wanted.bytes;
    return at;
  };
  const Writer write = [&](std::uint64_t address, const void* bytes, std::size_t size) {
    auto& to = decoded.written[address];
    to.resize(size);
    std::memcpy(to.data(), bytes, size);
  };
  const std::string text = ".version 9.0\n.target sm_90a\n.address_size 64\n" + body;
  decoded.program = decode(ptx::parse(text), small_table(), place, write);
  return decoded;
}

// One kernel k(.param .u64 out, .param .u32 n) with a few registers of each kind.
inline std::string kernel(const std::string& body) {
  return ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
         ".reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<99>; .reg .f32 %f<99>;\n"
         ".reg .b64 %rd<9>; .reg .b128 %q<3>; .reg .s32 %s<9>; .reg .f64 %fd<9>;\n" +
         body + "\n}\n";
}

inline std::string refusal(const std::string& text) {
  try {
    decode_text(text);
  } catch (const ptx::Refused& refused) {
    return refused.what();
  }
  return "accepted";
}

}  // namespace aisp::sim::testing
