// What mbarriers and asynchronous copies share: several address operands, which do not fit an Op's
// few fields, and faults that name their lane.
#pragma once

#include <bit>
#include <cstdint>
#include <string>

#include "sim/exec/form.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/warp.hpp"
#include "sim/program/binding.hpp"

namespace aisp::sim {

enum class CopySpace : std::uint8_t { generic, global, shared_cta, shared_cluster };

// Address operand number `slot` of an op: entries 2 * slot (base) and 2 * slot + 1 (constant
// offset) of its list. Every form of an op with such operands begins with this.
struct AddressSlots {
  std::uint8_t wide = 0;  // bit per slot: lanes of the base are 64 bits
};

// Slots are bound in order, before anything else goes into the list. A variable must lie in `space`
// where one is given.
void bind_address(Binding& b, AddressSlots& slots, int slot, const ptx::Operand& operand,
                  ptx::Space space = ptx::Space::none);

inline std::uint64_t lane_address(const Warp& warp, const Op& op, int slot, int lane) {
  const Ref* refs = warp.list(op) + 2 * slot;
  const bool wide = (form_of<AddressSlots>(op).wide >> slot & 1) != 0;
  const std::uint64_t base =
      wide ? warp.read<std::uint64_t>(refs[0])[lane] : warp.read<std::uint32_t>(refs[0])[lane];
  return base + warp.read<std::uint64_t>(refs[1])[lane];
}

// The same as a 32-bit shared::cluster address; a generic one must lie in the shared window.
std::uint32_t lane_shared(const Warp& warp, const Op& op, int slot, int lane, CopySpace space);

inline std::uint32_t own_offset(std::uint32_t shared_address) {
  return shared_address & ((1u << shared_rank_shift) - 1);
}
inline std::uint32_t in_block(std::uint32_t shared_address, std::uint32_t rank) {
  return rank << shared_rank_shift | own_offset(shared_address);
}

// Calls body(lane) for the lanes in order; a fault that names no lane gets this one.
template <class Body>
void each_lane_checked(Mask mask, Body&& body) {
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    try {
      body(lane);
    } catch (Fault& fault) {
      if (fault.lane < 0) fault.lane = lane;
      throw;
    }
  }
}

[[noreturn]] void misuse(std::string message, std::uint64_t address,
                         FaultSubject subject = FaultSubject::other);

}  // namespace aisp::sim
