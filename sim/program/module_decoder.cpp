#include "sim/program/module_decoder.hpp"

#include <algorithm>
#include <array>

#include "base/refuse.hpp"
#include "sim/program/refuse_line.hpp"

namespace aisp::sim {
namespace {

// Functions that the device runtime of the toolkit provides; the simulator performs them itself.
constexpr std::array<std::string_view, 5> builtins{"vprintf", "__assertfail", "malloc", "free",
                                                   "cudaGraphSetConditional"};

}  // namespace

ModuleDecoder::ModuleDecoder(const ptx::Module& module, const OpcodeTable& table, Program& program)
    : module(module), table(table), program(program), constants(program.constants) {
  for (const ptx::Function& function : module.functions) declare_function(function);
  for (const auto& alias : module.aliases) {
    const Symbol* target = find(alias.target);
    if (target == nullptr || target->kind != Symbol::Kind::function)
      refuse(1, base::say(".alias ", alias.name, ": '", alias.target, "' is not a function"));
    names_.insert_or_assign(alias.name, *target);
  }
  callees.resize(routines_.size());
}

void ModuleDecoder::refuse(int line, const std::string& why) const {
  refuse_line(line, why, program.line_text(line));
}

const Symbol* ModuleDecoder::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &found->second;
}

// A function may be declared before it is defined; the definition gives it its routine.
void ModuleDecoder::declare_function(const ptx::Function& function) {
  Symbol symbol{.kind = Symbol::Kind::function, .position = function.position};
  symbol.index = static_cast<std::uint32_t>(functions_.size());
  const auto [entry, fresh] = names_.try_emplace(function.name, symbol);
  if (fresh) functions_.push_back({&function, -1, false});
  FunctionInfo& info = functions_[entry->second.index];
  if (!function.has_body) {
    info.is_builtin = info.routine < 0 &&
                      std::find(builtins.begin(), builtins.end(), function.name) != builtins.end();
    return;
  }
  if (info.routine >= 0)
    refuse(function.position.line, base::say("'", function.name, "' is defined twice"));
  info = {&function, static_cast<std::int64_t>(routines_.size()), false};
  routines_.push_back(&function);
  Routine& routine = program.routines.emplace_back();
  routine.name = function.name;
  routine.is_entry = function.is_entry;
}

void ModuleDecoder::finish() {
  find_recursion();
  finish_kernels();
  for (Routine& routine : program.routines)
    routine.frame_bytes = static_cast<std::uint32_t>((routine.frame_bytes + frame_align - 1) /
                                                     frame_align * frame_align);
}

void ModuleDecoder::find_recursion() {
  for (const std::uint32_t caller : calls_indirectly)
    callees[caller].insert(address_taken.begin(), address_taken.end());
  const auto reached_from = [&](std::uint32_t start) {
    std::vector<bool> seen(callees.size(), false);
    std::vector<std::uint32_t> open(callees[start].begin(), callees[start].end());
    while (!open.empty()) {
      const std::uint32_t next = open.back();
      open.pop_back();
      if (seen[next]) continue;
      seen[next] = true;
      open.insert(open.end(), callees[next].begin(), callees[next].end());
    }
    return seen;
  };
  // A function that comes back to itself, and a kernel that gets to such a function.
  for (std::uint32_t start = 0; start < callees.size(); ++start)
    if (!program.routines[start].is_entry)
      program.routines[start].may_recurse = reached_from(start)[start];
  for (std::uint32_t start = 0; start < callees.size(); ++start) {
    if (!program.routines[start].is_entry) continue;
    const std::vector<bool> seen = reached_from(start);
    for (std::uint32_t other = 0; other < seen.size(); ++other)
      program.routines[start].may_recurse |= seen[other] && program.routines[other].may_recurse;
  }
}

// A kernel that calls functions carries their special registers too.
void ModuleDecoder::finish_kernels() {
  for (Routine& kernel : program.routines) {
    if (!kernel.is_entry || !kernel.uses_functions) continue;
    for (const Routine& function : program.routines)
      if (!function.is_entry)
        kernel.specials.insert(kernel.specials.end(), function.specials.begin(),
                               function.specials.end());
  }
}

}  // namespace aisp::sim
