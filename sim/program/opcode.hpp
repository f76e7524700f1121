// One row per opcode: spelling, what it is for, the function that binds a written instruction to
// its handler, and the architectures that have it. Parser, decoder, coverage page and refusals all
// read the table.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/program/architecture.hpp"
#include "sim/program/op.hpp"
#include "sim/ptx/module.hpp"

namespace aisp::sim {

class Binding;
using Bind = void (*)(Binding&);

struct OpcodeRow {
  std::string_view name;  // "ld", "cp.async.bulk": the longest row that prefixes the text wins
  OpClass kind{};
  Bind bind = nullptr;     // null: known, not modelled; refused by name
  std::string_view forms;  // for the coverage page: ".{u,s}{16,32,64}, .f32 with .rn .rz .rm .rp"
  Needs needs{};           // what the module's target must be; forms may need more
};

class OpcodeTable {
 public:
  explicit OpcodeTable(std::vector<std::span<const OpcodeRow>> groups);
  // The row whose dotted name is the longest prefix of the instruction; null when there is none.
  // `used` is the number of modifiers that belong to the name ("cp.async.bulk.tensor": 3).
  const OpcodeRow* find(const ptx::Instruction& instruction, int& used) const;
  std::vector<OpcodeRow> rows() const;  // sorted by name

 private:
  std::vector<OpcodeRow> rows_;  // rows that share the first word stand together
  struct Range {
    std::size_t first = 0, last = 0;  // of rows_
  };
  std::unordered_map<std::string_view, Range> roots_;  // by first word
};

}  // namespace aisp::sim
