// Parses and decodes with the real opcode table. Variables get addresses, no memory: for tests of
// what is accepted, not of what it does.
#pragma once

#include <cstdint>
#include <string>

#include "sim/exec/host_level.hpp"
#include "sim/program/program.hpp"
#include "sim/ptx/module.hpp"

inline sim::Program decode_only(std::string text) {
  std::uint64_t next = 0x10000;
  const sim::Placer place = [&](const sim::VariablePlacement& wanted) {
    const std::uint64_t at = (next + wanted.align - 1) / wanted.align * wanted.align;
    next = at + wanted.bytes;
    return at;
  };
  const sim::Writer write = [](std::uint64_t, const void*, std::size_t) {};
  return sim::decode(sim::ptx::parse(std::move(text)), sim::opcode_table(), place, write);
}
