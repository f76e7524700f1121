// The check of fuzz_decode: any text either decodes with the real opcode table or is refused with a
// message that names the line. Variables get addresses, no memory.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "sim/exec/opcodes.hpp"
#include "sim/program/program.hpp"
#include "sim/ptx/module.hpp"

inline void decode_or_refuse(std::string text) {
  std::uint64_t next = 0x10000;
  const sim::Placer place = [&](const sim::VariablePlacement& wanted) {
    const std::uint64_t at = (next + wanted.align - 1) / wanted.align * wanted.align;
    next = at + wanted.bytes;
    return at;
  };
  const sim::Writer write = [](std::uint64_t, const void*, std::size_t) {};
  try {
    const auto module = sim::ptx::parse(std::move(text));
    const sim::Program program = sim::decode(module, sim::opcode_table(), place, write);
    if (program.sources.size() != program.ops.size()) std::abort();
    for (const sim::Op& op : program.ops)
      if (op.run == nullptr) std::abort();
  } catch (const sim::ptx::Refused& refused) {
    if (!std::string_view(refused.what()).starts_with("line ")) std::abort();
  }
}
