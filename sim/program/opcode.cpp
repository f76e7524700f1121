#include "sim/program/opcode.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace aisp::sim {
namespace {

std::string_view first_word(std::string_view name) { return name.substr(0, name.find('.')); }

// Number of modifiers that belong to the row's name, -1 when the instruction is another one.
int modifiers_matched(std::string_view name, const ptx::Instruction& instruction) {
  int used = 0;
  for (std::size_t dot = name.find('.'); dot != std::string_view::npos; ++used) {
    const std::size_t next = name.find('.', dot + 1);
    const std::size_t length = next == std::string_view::npos ? next : next - dot - 1;
    if (static_cast<std::size_t>(used) >= instruction.modifiers.size() ||
        instruction.modifiers[static_cast<std::size_t>(used)] != name.substr(dot + 1, length))
      return -1;
    dot = next;
  }
  return used;
}

}  // namespace

OpcodeTable::OpcodeTable(std::vector<std::span<const OpcodeRow>> groups) {
  for (const auto& group : groups) rows_.insert(rows_.end(), group.begin(), group.end());
  std::sort(rows_.begin(), rows_.end(),
            [](const OpcodeRow& a, const OpcodeRow& b) { return a.name < b.name; });
  for (std::size_t i = 0; i + 1 < rows_.size(); ++i)
    if (rows_[i].name == rows_[i + 1].name)
      throw std::logic_error("two opcode rows are named " + std::string(rows_[i].name));
  // "cp" and "cp.async" are neighbours but for words that sort before the dot, so ranges are
  // grouped by the first word rather than taken from the order of whole names.
  std::stable_sort(rows_.begin(), rows_.end(), [](const OpcodeRow& a, const OpcodeRow& b) {
    return first_word(a.name) < first_word(b.name);
  });
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Range& range = roots_.try_emplace(first_word(rows_[i].name), Range{i, i}).first->second;
    range.last = i + 1;
  }
}

const OpcodeRow* OpcodeTable::find(const ptx::Instruction& instruction, int& used) const {
  const OpcodeRow* best = nullptr;
  const auto range = roots_.find(instruction.root);
  if (range == roots_.end()) return nullptr;
  for (std::size_t i = range->second.first; i < range->second.last; ++i) {
    const int matched = modifiers_matched(rows_[i].name, instruction);
    if (matched < 0 || (best != nullptr && matched <= used)) continue;
    best = &rows_[i];
    used = matched;
  }
  return best;
}

std::vector<OpcodeRow> OpcodeTable::rows() const {
  std::vector<OpcodeRow> sorted = rows_;
  std::sort(sorted.begin(), sorted.end(),
            [](const OpcodeRow& a, const OpcodeRow& b) { return a.name < b.name; });
  return sorted;
}

}  // namespace aisp::sim
