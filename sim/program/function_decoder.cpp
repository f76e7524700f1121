#include "sim/program/function_decoder.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "base/refuse.hpp"
#include "sim/program/refuse_line.hpp"
#include "sim/program/special.hpp"

namespace aisp::sim {
namespace {

constexpr std::size_t special_place(Special what, bool wide) {
  return 2 * static_cast<std::size_t>(what) + (wide ? 1 : 0);
}

// What stands in its place among its like: types, vectors of them, shapes and layouts.
bool keeps_order(std::string_view modifier) {
  return parse_type(modifier).has_value() || modifier == "row" || modifier == "col";
}

// Opcodes of which ptxas takes the first words for a part of the name, or of which the order of
// spaces says where from and where to: the manual's order is the only one.
bool is_ordered(const ptx::Instruction& instruction) {
  constexpr std::array<std::string_view, 19> roots{
      "bar",       "barrier",  "call", "cp",    "createpolicy", "dp2a", "fence",
      "mad24",     "mbarrier", "mma",  "mul24", "multimem",     "shf",  "tcgen05",
      "tensormap", "vmad",     "vset", "wgmma", "wmma"};
  if (std::find(roots.begin(), roots.end(), instruction.root) != roots.end()) return true;
  const auto& modifiers = instruction.modifiers;
  return std::any_of(modifiers.begin(), modifiers.end(), [](std::string_view modifier) {
    return modifier == "async" || modifier == "pack";
  });
}

// The same instruction with its modifiers in every other order.
std::vector<ptx::Instruction> reordered(const ptx::Instruction& instruction) {
  constexpr std::size_t most = 5;  // 120 orders
  std::vector<ptx::Instruction> list;
  const auto& written = instruction.modifiers;
  if (written.size() < 2 || written.size() > most || is_ordered(instruction)) return list;
  std::vector<std::size_t> order(written.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  while (std::next_permutation(order.begin(), order.end())) {
    std::vector<std::size_t> types;
    for (const std::size_t at : order)
      if (keeps_order(written[at])) types.push_back(at);
    if (!std::is_sorted(types.begin(), types.end())) continue;
    ptx::Instruction& other = list.emplace_back(instruction);
    for (std::size_t at = 0; at < order.size(); ++at) other.modifiers[at] = written[order[at]];
  }
  return list;
}

}  // namespace

FunctionDecoder::FunctionDecoder(ModuleDecoder& module, const ptx::Function& function,
                                 std::uint32_t routine)
    : module_(module),
      function_(function),
      routine_index_(routine),
      routine_(module.program.routines[routine]),
      shared_(function.is_entry ? &own_shared_ : &module.functions_shared),
      lists_begin_(static_cast<std::uint32_t>(module.program.lists.size())),
      specials_(special_place(Special::count, false), -1) {}

void FunctionDecoder::run() {
  scopes_.push();
  uses_functions_ = calls_functions(function_.body);
  if (function_.is_entry && uses_functions_) own_shared_ = module_.functions_shared;
  read_directives();
  declare_formals();
  walk(function_.body);
  append_return();
  link();
}

// Labels may be used before they stand: those of a block are declared when it begins.
void FunctionDecoder::walk(const ptx::Block& block) {
  for (const ptx::Statement& statement : block.statements)
    if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      Symbol symbol{.kind = Symbol::Kind::label, .position = label->position};
      symbol.index = static_cast<std::uint32_t>(labels_.size());
      labels_.emplace_back();
      declare_name(label->name, symbol);
    }
  for (const ptx::Statement& statement : block.statements) {
    if (const auto* instruction = std::get_if<ptx::Instruction>(&statement)) {
      this->statement(*instruction);
    } else if (const auto* label = std::get_if<ptx::Label>(&statement)) {
      labels_[scopes_.find(label->name)->index] = {next_op(), true};
    } else if (const auto* variable = std::get_if<ptx::Variable>(&statement)) {
      declare(*variable);
    } else if (const auto* list = std::get_if<ptx::TargetList>(&statement)) {
      Symbol symbol{.kind = Symbol::Kind::targets, .position = list->position};
      symbol.targets = list;
      declare_name(list->name, symbol);
    } else if (const auto* prototype = std::get_if<ptx::Prototype>(&statement)) {
      Symbol symbol{.kind = Symbol::Kind::prototype, .position = prototype->position};
      symbol.prototype = prototype;
      declare_name(prototype->name, symbol);
    } else {
      const std::uint64_t top = frame_top_;
      scopes_.push();
      walk(*std::get<std::shared_ptr<ptx::Block>>(statement));
      scopes_.pop();
      frame_top_ = top;  // blocks side by side share their part of the frame
    }
  }
}

void FunctionDecoder::statement(const ptx::Instruction& instruction) {
  if (instruction.root == "call") return expand_call(instruction);
  if (instruction.root == "ret")
    for (const RegisterFormal& formal : register_results_)
      copy_register(instruction, "st", formal.type, name_operand(formal.name, instruction.position),
                    formal.frame_name);
  bind(instruction);
}

// ptxas reads modifiers as a set; only types keep their order. The order of the manual is tried
// first, and its refusal is the one that is said.
void FunctionDecoder::bind(const ptx::Instruction& instruction) {
  const std::size_t lists = module_.program.lists.size(), touched = touches_.list.size();
  const std::uint32_t ops = next_op();
  const auto undo = [&] {
    ops_.resize(ops);
    sources_.resize(ops);
    touches_.first.resize(ops);
    touches_.list.resize(touched);
    module_.program.lists.resize(lists);
  };
  try {
    return bind_as_written(instruction);
  } catch (const ptx::Refused&) {
    undo();
    for (const ptx::Instruction& other : reordered(instruction)) {
      try {
        return bind_as_written(other);
      } catch (const ptx::Refused&) {
        undo();
      }
    }
    throw;
  }
}

void FunctionDecoder::bind_as_written(const ptx::Instruction& instruction) {
  auto refuse = [&](const std::string& why) {
    refuse_line(instruction.position.line, why, instruction.text);
  };
  int name_modifiers = 0;
  const OpcodeRow* row = module_.table.find(instruction, name_modifiers);
  if (row == nullptr)
    refuse(base::say("'", instruction.root, "' is not an instruction of PTX this simulator knows"));
  if (row->bind == nullptr) refuse(base::say("'", row->name, "' is known, not modelled"));

  const std::uint32_t index = next_op();
  Op& op = ops_.emplace_back();
  sources_.push_back({instruction.position.line, instruction.source.file, instruction.source.line});
  touches_.first.push_back(static_cast<std::uint32_t>(touches_.list.size()));
  op.kind = row->kind;
  op.join = Program::no_join;
  Binding binding(*this, instruction, name_modifiers, op);
  binding.require(row->needs, row->name);
  binding.require_words();
  predicated_ = !instruction.guard.empty();
  keeps_ = defers_ = false;
  if (predicated_) bind_guard(instruction, op);
  row->bind(binding);
  if (binding.more()) refuse(base::say("'.", binding.peek(), "' is not modelled here"));
  if (!binding.all_bound()) refuse("an operand is left over: this form is not modelled");
  if (op.run == nullptr) refuse(base::say("'", row->name, "' has no handler for this form"));

  check_group(instruction);
  if (keeps_) {
    products_.push_back(index);
    for (std::uint32_t at = touches_.first.back(); at < touches_.list.size(); ++at)
      registers_[touches_.list[at].reg].kept = true;
  }
  if (defers_) {
    loads_.push_back(index);
    for (std::uint32_t at = touches_.first.back(); at < touches_.list.size(); ++at)
      registers_[touches_.list[at].reg].kept |= touches_.list[at].kind != Touch::Kind::read;
  }
  if (instruction.root == "mov") moves_.push_back(index);
  if (instruction.root == "ld" && op.list_size > 1) vector_loads_.push_back(index);
  if (instruction.root == "ret" || instruction.root == "exit")
    jumps_.push_back({index, false, true, {}});
  if (instruction.root == "call") calls_.push_back(index);
  if (instruction.root == "alloca") module_.program.uses_alloca = true;
}

// Blocks of a function use the tensor core alone or in pairs, not both.
void FunctionDecoder::check_group(const ptx::Instruction& instruction) {
  if (instruction.root != "tcgen05") return;
  for (const std::string_view modifier : instruction.modifiers) {
    if (!modifier.starts_with("cta_group::")) continue;
    if (!tensor_group_.empty() && tensor_group_ != modifier)
      refuse_line(instruction.position.line,
                  base::say("'.", modifier, "' after '.", tensor_group_, "' in the same function"),
                  instruction.text);
    tensor_group_ = modifier;
  }
}

void FunctionDecoder::bind_guard(const ptx::Instruction& instruction, Op& op) {
  FoundRegister found;
  if (scopes_.find_register(instruction.guard, found)) {
    if (found.type != Type::pred)
      refuse_line(instruction.position.line,
                  base::say("guard ", instruction.guard, " is no predicate"), instruction.text);
    op.guard = touch_read(found.number);
  } else {
    const SpecialName name = find_special(instruction.guard);
    if (name.kind != SpecialName::Kind::predicate)
      refuse_line(instruction.position.line,
                  base::say("guard ", instruction.guard, " is not declared"), instruction.text);
    op.guard = touch_read(special(name.what, false));
  }
  op.guard_negated = instruction.guard_negated;
}

// Nothing runs past the end of a routine.
void FunctionDecoder::append_return() {
  const bool label_at_end = std::any_of(labels_.begin(), labels_.end(), [&](const auto& label) {
    return label.reached && label.op == next_op();
  });
  const bool ends = !jumps_.empty() && jumps_.back().op + 1 == next_op() &&
                    ops_.back().guard == no_ref && !label_at_end;
  if (ends) return;
  ptx::Instruction implicit;
  implicit.position =
      sources_.empty() ? function_.position : ptx::Position{sources_.back().ptx_line};
  implicit.root = implicit.text = "ret";
  statement(implicit);
}

const Symbol* FunctionDecoder::find(std::string_view name) const {
  const Symbol* found = scopes_.find(name);
  return found != nullptr ? found : module_.find(name);
}

Ref FunctionDecoder::touch_read(std::uint32_t reg) {
  touches_.list.push_back({Touch::Kind::read, reg});
  return virtual_bit | reg;
}

Ref FunctionDecoder::touch_write(std::uint32_t reg) {
  touches_.list.push_back({predicated_ ? Touch::Kind::partial_write : Touch::Kind::write, reg});
  return virtual_bit | reg;
}

std::uint32_t FunctionDecoder::condition_code() {
  if (condition_code_ < 0) condition_code_ = add_register({.type = Type::pred});
  return static_cast<std::uint32_t>(condition_code_);
}

std::uint32_t FunctionDecoder::special(Special what, bool wide) {
  const bool is_predicate = what == Special::is_explicit_cluster;
  std::int64_t& known = specials_[special_place(what, wide)];
  if (known < 0) {
    const Type type = is_predicate ? Type::pred : wide ? Type::u64 : Type::u32;
    known = add_register({.type = type, .special = what, .wide = wide});
  }
  return static_cast<std::uint32_t>(known);
}

}  // namespace aisp::sim
