#include "sim/program/binding.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "sim/program/function_context.hpp"

namespace aisp::sim {

Binding::Binding(FunctionContext& function, const ptx::Instruction& instruction, int name_modifiers,
                 Op& op)
    : ModifierReader(function.module().program, instruction, name_modifiers),
      op(op),
      function_(function) {}

const ptx::Operand& Binding::operand(int index) const {
  if (index < 0 || index >= operands()) refuse(base::say("operand ", index + 1, " is missing"));
  return instruction_.operands[static_cast<std::size_t>(index)];
}

void Binding::expect_operands(int least, int most) const {
  if (operands() >= least && operands() <= most) return;
  const std::string wanted = least == most ? base::say(least) : base::say(least, " to ", most);
  refuse(base::say(wanted, " operands are expected, ", operands(), " are given"));
}

void Binding::ignore(const ptx::Operand& operand) { mark(operand); }

bool Binding::bound(const ptx::Operand& operand) const {
  if (std::binary_search(bound_.begin(), bound_.end(), &operand)) return true;
  const auto all = [&](const std::vector<ptx::Operand>& parts) {
    return std::all_of(parts.begin(), parts.end(), [&](const auto& part) { return bound(part); });
  };
  const bool composed =
      operand.kind == ptx::Operand::Kind::vector || operand.kind == ptx::Operand::Kind::pair;
  return composed && all(operand.parts);
}

bool Binding::all_bound() const {
  std::sort(bound_.begin(), bound_.end());
  return std::all_of(
      instruction_.operands.begin(), instruction_.operands.end(), [&](const ptx::Operand& operand) {
        const auto& more = operand.address.more;
        return bound(operand) &&
               std::all_of(more.begin(), more.end(), [&](const auto& part) { return bound(part); });
      });
}

void Binding::list(Ref ref) {
  std::vector<Ref>& lists = function_.module().program.lists;
  if (op.list_size == 0) op.list = static_cast<std::uint32_t>(lists.size());
  lists.push_back(ref);
  ++op.list_size;
}

Ref Binding::constant_mask(Mask mask) { return function_.module().constants.mask_of(mask); }
Ref Binding::read_condition_code() { return function_.touch_read(function_.condition_code()); }
Ref Binding::write_condition_code() { return function_.touch_write(function_.condition_code()); }
Ref Binding::special(int special, bool wide) {
  return function_.touch_read(function_.special(static_cast<Special>(special), wide));
}

void Binding::keep_registers() { function_.keep_registers(); }
void Binding::defer_results(int first) {
  op.target = static_cast<std::uint32_t>(first);
  op.defers_results = true;
  function_.defer_results();
}

void Binding::branch_to(std::string_view label) {
  for (const ptx::Operand& operand : instruction_.operands)
    if (operand.name == label) mark(operand);
  function_.branch_to(*this, label);
}

void Binding::branch_table(std::string_view list_name) {
  for (const ptx::Operand& operand : instruction_.operands)
    if (operand.name == list_name) mark(operand);
  function_.branch_table(*this, list_name, op);
}

void Binding::call() { function_.call(*this, op); }

}  // namespace aisp::sim
