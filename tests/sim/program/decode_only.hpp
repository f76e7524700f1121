// Parses and decodes with the real opcode table. Variables get addresses, no memory: for tests of
// what is accepted, not of what it does.
#pragma once

#include <cstdint>
#include <string>

#include "sim/exec/host_level.hpp"
#include "sim/program/program.hpp"
#include "sim/ptx/module.hpp"

inline aisp::sim::Program decode_only(std::string text) {
  std::uint64_t next = 0x10000;
  const aisp::sim::Placer place = [&](const aisp::sim::VariablePlacement& wanted) {
    const std::uint64_t at = (next + wanted.align - 1) / wanted.align * wanted.align;
    next = at + wanted.bytes;
    return at;
  };
  const aisp::sim::Writer write = [](std::uint64_t, const void*, std::size_t) {};
  return aisp::sim::decode(aisp::sim::ptx::parse(std::move(text)), aisp::sim::opcode_table(), place,
                           write);
}
