#include "sim/program/remove_sync.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/refuse.hpp"
#include "sim/program/source_chain.hpp"

namespace aisp::sim {
namespace {

using ptx::Instruction;
using ptx::Operand;

enum class Role { none, plain, arrival, test };

Role role_of(const Instruction& instruction) {
  const auto& words = instruction.modifiers;
  const auto has = [&](std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const std::string_view root = instruction.root;
  if (root == "fence" || root == "membar") return Role::plain;
  if (root == "bar" || root == "barrier") return has("red") ? Role::none : Role::plain;
  if (root == "wgmma" || root == "cp") {
    const bool counts = has("fence") || has("commit_group") || has("wait_group") || has("wait_all");
    const bool arrives = root == "cp" && has("mbarrier") && has("arrive");
    return counts || arrives ? Role::plain : Role::none;
  }
  if (root == "tcgen05") {
    const bool counts = has("commit") || has("wait::ld") || has("wait::st") ||
                        has("fence::before_thread_sync") || has("fence::after_thread_sync");
    return counts ? Role::plain : Role::none;
  }
  if (root == "griddepcontrol") return has("wait") ? Role::plain : Role::none;
  if (root != "mbarrier") return Role::none;
  if (has("arrive") || has("arrive_drop")) return Role::arrival;
  if (has("try_wait") || has("test_wait")) return Role::test;
  return has("expect_tx") || has("complete_tx") ? Role::plain : Role::none;
}

void visit(ptx::Block& block, const std::function<void(ptx::Block&, std::size_t)>& instruction) {
  for (std::size_t at = 0; at < block.statements.size(); ++at) {
    ptx::Statement& statement = block.statements[at];
    if (std::holds_alternative<Instruction>(statement)) instruction(block, at);
    if (auto* inner = std::get_if<std::shared_ptr<ptx::Block>>(&statement))
      visit(**inner, instruction);
  }
}

Instruction& instruction_at(ptx::Block& block, std::size_t at) {
  return std::get<Instruction>(block.statements[at]);
}

bool names(const Operand& operand, std::string_view name) {
  const auto among = [&](const std::vector<Operand>& operands) {
    return std::any_of(operands.begin(), operands.end(),
                       [&](const Operand& one) { return names(one, name); });
  };
  return operand.name == name || operand.address.base == name || among(operand.parts) ||
         among(operand.address.more);
}

// Anywhere else: as good as read.
bool named_elsewhere(ptx::Function& kernel, const Instruction& here, std::string_view name) {
  bool found = false;
  visit(kernel.body, [&](ptx::Block& block, std::size_t at) {
    const Instruction& other = instruction_at(block, at);
    if (&other == &here) return;
    for (const auto* operands : {&other.operands, &other.results, &other.arguments})
      for (const Operand& operand : *operands) found = found || names(operand, name);
  });
  return found;
}

struct SyncPoint {
  ptx::Block* block = nullptr;
  std::size_t at = 0;
};

std::vector<SyncPoint> sync_points(ptx::Function& kernel) {
  std::vector<SyncPoint> points;
  visit(kernel.body, [&](ptx::Block& block, std::size_t at) {
    const Instruction& instruction = instruction_at(block, at);
    const Role role = role_of(instruction);
    if (role == Role::none) return;
    if (role == Role::arrival && instruction.operands[0].kind == Operand::Kind::name &&
        named_elsewhere(kernel, instruction, instruction.operands[0].name))
      return;
    points.push_back({&block, at});
  });
  return points;
}

// setp.eq.u32 p, 0, 0
void answer_yes(Instruction& test) {
  Operand zero;
  zero.kind = Operand::Kind::value;
  zero.position = test.position;
  test.root = "setp";
  test.modifiers = {"eq", "u32"};
  test.operands = {test.operands[0], zero, zero};
}

// trap, where the instruction's guard lets it.
void stop_there(Instruction& instruction) {
  instruction.root = "trap";
  instruction.modifiers.clear();
  instruction.operands.clear();
}

std::string joined_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  return line;
}

// "inner.cuh:3 < outer.cu:5"
std::string joined(const std::vector<SourcePlace>& chain) {
  std::string text;
  for (const SourcePlace& place : chain)
    text += base::say(text.empty() ? "" : " < ", place.file, ":", place.line);
  return text.empty() ? "?" : text;
}

}  // namespace

std::string list_sync(ptx::Module& module) {
  const SourceChains chains(TextLines(*module.text), module.files);
  std::string list;
  for (ptx::Function& kernel : module.functions) {
    if (!kernel.is_entry || !kernel.has_body) continue;
    std::size_t index = 0;
    for (const SyncPoint& point : sync_points(kernel)) {
      const Instruction& instruction = instruction_at(*point.block, point.at);
      list += base::say(kernel.name, '\t', index++, '\t', instruction.position.line, '\t',
                        joined(chains.of(instruction.position.line)), '\t',
                        joined_line(instruction.text), '\n');
    }
  }
  return list;
}

std::string remove_sync(ptx::Module& module, std::string_view kernel, std::size_t index,
                        InItsPlace what) {
  std::string removed;
  for (ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    if (function.name.find(kernel) == std::string_view::npos) continue;
    const std::vector<SyncPoint> points = sync_points(function);
    if (index >= points.size()) continue;
    const auto [block, at] = points[index];
    Instruction& instruction = instruction_at(*block, at);
    removed += base::say(function.name,
                         what == InItsPlace::trap ? " stops at line " : " runs without line ",
                         instruction.position.line, ": ", joined_line(instruction.text), '\n');
    if (what == InItsPlace::trap)
      stop_there(instruction);
    else if (role_of(instruction) == Role::test)
      answer_yes(instruction);
    else
      block->statements.erase(block->statements.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return removed;
}

}  // namespace aisp::sim
