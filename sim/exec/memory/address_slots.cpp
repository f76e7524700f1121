#include "sim/exec/memory/address_slots.hpp"

#include "base/refuse.hpp"

namespace aisp::sim {

using base::say;

void bind_address(Binding& b, AddressSlots& slots, int slot, const ptx::Operand& operand,
                  ptx::Space space) {
  const BoundAddress address = b.address(operand);
  if (operand.address.base.empty()) b.refuse("an absolute address cannot stand here");
  if (space != ptx::Space::none && address.space != ptx::Space::none && address.space != space)
    b.refuse("the variable lies in another space than the instruction names");
  if (address.in_frame) b.refuse("local memory has no barriers and no copies");
  b.list(address.base);
  b.list(b.constant_ref(static_cast<std::uint64_t>(address.offset), Type::b64));
  if (address.wide) slots.wide |= static_cast<std::uint8_t>(1u << slot);
}

std::uint32_t lane_shared(const Warp& warp, const Op& op, int slot, int lane, CopySpace space) {
  const std::uint64_t address = lane_address(warp, op, slot, lane);
  if (space != CopySpace::generic) return static_cast<std::uint32_t>(address);
  if (!Windows::in(Windows::shared(), address))
    throw Fault{FaultKind::bad_address_space,
                say("generic address ", address, " does not lie in shared memory"), address, lane};
  return static_cast<std::uint32_t>(address - Windows::shared());
}

void misuse(std::string message, std::uint64_t address, FaultSubject subject) {
  throw Fault{FaultKind::illegal_instruction, std::move(message), address, -1, subject};
}

}  // namespace aisp::sim
