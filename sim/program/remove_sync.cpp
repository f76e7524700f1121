#include "sim/program/remove_sync.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/refuse.hpp"

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

using Where = std::array<int, 3>;  // file, line, column

// The numbers that follow the first `word` of the text, as many as are wanted; false when there are
// fewer.
bool numbers_after(std::string_view word, std::string_view text, std::array<int*, 3> wanted) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + word.size());
  for (int* number : wanted) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return true;
}

// What `.loc` says and where the code was inlined, by lines of the PTX.
class Locations {
 public:
  explicit Locations(const ptx::Module& module) : files_(module.files) {
    const std::string_view text = *module.text;
    int number = 1;
    for (std::size_t from = 0; from < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      read(std::string(text.substr(from, end - from)), number);
      from = end + 1;
    }
  }

  // The innermost line first.
  std::string chain(int ptx_line) const {
    auto found = by_line_.upper_bound(ptx_line);
    std::string text;
    for (int depth = 0; found != by_line_.begin() && depth < 32; ++depth) {
      const Location& location = std::prev(found)->second;
      const auto& [file, line, column] = location.where;
      const bool known = file > 0 && static_cast<std::size_t>(file) < files_.size();
      text +=
          base::say(depth > 0 ? " < " : "",
                    known ? files_[static_cast<std::size_t>(file)] : std::string("?"), ":", line);
      if (!location.inlined) break;
      // The call itself has a `.loc` further up, with what it was inlined into.
      while (found != by_line_.begin() && std::prev(found)->second.where != location.into) --found;
    }
    return text.empty() ? "?" : text;
  }

 private:
  struct Location {
    Where where{}, into{};
    bool inlined = false;
  };

  void read(const std::string& line, int number) {
    Location location;
    auto& [file, row, column] = location.where;
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || !line.substr(first).starts_with(".loc") ||
        !numbers_after(".loc", line, {&file, &row, &column}))
      return;
    auto& [from_file, from_row, from_column] = location.into;
    location.inlined = numbers_after("inlined_at", line, {&from_file, &from_row, &from_column});
    by_line_[number] = location;
  }

  const std::vector<std::string>& files_;
  std::map<int, Location> by_line_;
};

}  // namespace

std::string list_sync(ptx::Module& module) {
  const Locations locations(module);
  std::string list;
  for (ptx::Function& kernel : module.functions) {
    if (!kernel.is_entry || !kernel.has_body) continue;
    std::size_t index = 0;
    for (const SyncPoint& point : sync_points(kernel)) {
      const Instruction& instruction = instruction_at(*point.block, point.at);
      list += base::say(kernel.name, '\t', index++, '\t', instruction.position.line, '\t',
                        locations.chain(instruction.position.line), '\t',
                        joined_line(instruction.text), '\n');
    }
  }
  return list;
}

std::string remove_sync(ptx::Module& module, std::string_view kernel, std::size_t index) {
  std::string removed;
  for (ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    if (function.name.find(kernel) == std::string_view::npos) continue;
    const std::vector<SyncPoint> points = sync_points(function);
    if (index >= points.size()) continue;
    const auto [block, at] = points[index];
    Instruction& instruction = instruction_at(*block, at);
    removed += base::say(function.name, " runs without line ", instruction.position.line, ": ",
                         joined_line(instruction.text), '\n');
    if (role_of(instruction) == Role::test)
      answer_yes(instruction);
    else
      block->statements.erase(block->statements.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return removed;
}

}  // namespace aisp::sim
