// What barriers and copies share: modifiers in any order, address operands that do not fit an Op's
// few fields, and faults that name their lane.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/machine/access.hpp"
#include "sim/machine/warp.hpp"
#include "sim/program/binding.hpp"

namespace sim {

// One spelling of a modifier: at most one of each group may stand in an instruction.
struct Choice {
  std::string_view name;
  int group = 0;
  int value = 0;
};
// Group of state spaces: they are collected in the order written (destination, source).
inline constexpr int space_group = -1;

enum class CopySpace : std::uint8_t { generic, global, shared_cta, shared_cluster };

struct Chosen {
  std::array<int, 8> group{-1, -1, -1, -1, -1, -1, -1, -1};  // value chosen; -1: none
  std::vector<CopySpace> spaces;
  bool has(int g) const { return group[g] >= 0; }
  int value_or(int g, int otherwise) const { return has(g) ? group[g] : otherwise; }
};

// Takes all modifiers that are left; refuses one that neither list has.
Chosen take_modifiers(Binding& b, std::span<const Choice> choices,
                      std::span<const Choice> more = {});
void require_architecture(const Binding& b, int least, std::string_view what);

// Address operand number `slot` of an op: entries 2 * slot (base) and 2 * slot + 1 (constant
// offset) of its list; bit `slot` of imm says that the base lanes are 64 bits wide. Slots are bound
// in order, before anything else goes into the list.
// A variable must lie in `space` where one is given.
void bind_address(Binding& b, int slot, const ptx::Operand& operand,
                  ptx::Space space = ptx::Space::none);

inline std::uint64_t lane_address(const Warp& warp, const Op& op, int slot, int lane) {
  const Ref* refs = warp.list(op) + 2 * slot;
  const std::uint64_t base = (op.imm >> slot & 1) != 0 ? warp.read<std::uint64_t>(refs[0])[lane]
                                                       : warp.read<std::uint32_t>(refs[0])[lane];
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

[[noreturn]] void misuse(std::string message, std::uint64_t address);

}  // namespace sim
