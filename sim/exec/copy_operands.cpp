#include "sim/exec/copy_operands.hpp"

#include <algorithm>

#include "base/refuse.hpp"

namespace sim {

using base::say;

Chosen take_modifiers(Binding& b, std::span<const Choice> choices, std::span<const Choice> more) {
  Chosen chosen;
  const auto find = [](std::span<const Choice> list, std::string_view name) -> const Choice* {
    const auto at = std::find_if(list.begin(), list.end(),
                                 [&](const Choice& choice) { return choice.name == name; });
    return at == list.end() ? nullptr : &*at;
  };
  while (b.more()) {
    const std::string_view name = b.take();
    const Choice* found = find(choices, name);
    if (found == nullptr) found = find(more, name);
    if (found == nullptr) b.refuse(say("no modifier .", name, " here"));
    if (found->group == space_group) {
      chosen.spaces.push_back(static_cast<CopySpace>(found->value));
      continue;
    }
    int& value = chosen.group[static_cast<std::size_t>(found->group)];
    if (value >= 0) b.refuse(say("a second modifier of the kind of .", name));
    value = found->value;
  }
  return chosen;
}

void require_architecture(const Binding& b, int least, std::string_view what) {
  if (b.architecture() < least)
    b.refuse(say(what, " needs sm_", least, ": the target is sm_", b.architecture()));
}

void bind_address(Binding& b, int slot, const ptx::Operand& operand, ptx::Space space) {
  const BoundAddress address = b.address(operand);
  if (operand.address.base.empty()) b.refuse("an absolute address cannot stand here");
  if (space != ptx::Space::none && address.space != ptx::Space::none && address.space != space)
    b.refuse("the variable lies in another space than the instruction names");
  if (address.in_frame) b.refuse("local memory has no barriers and no copies");
  b.list(address.base);
  b.list(b.constant_ref(static_cast<std::uint64_t>(address.offset), Type::b64));
  if (address.wide) b.op.imm |= std::uint64_t{1} << slot;
}

std::uint32_t lane_shared(const Warp& warp, const Op& op, int slot, int lane, CopySpace space) {
  const std::uint64_t address = lane_address(warp, op, slot, lane);
  if (space != CopySpace::generic) return static_cast<std::uint32_t>(address);
  if (!Windows::in(Windows::shared(), address))
    throw Fault{FaultKind::bad_address_space,
                say("generic address ", address, " does not lie in shared memory"), address, lane};
  return static_cast<std::uint32_t>(address - Windows::shared());
}

void misuse(std::string message, std::uint64_t address) {
  throw Fault{FaultKind::illegal_instruction, std::move(message), address, -1};
}

}  // namespace sim
