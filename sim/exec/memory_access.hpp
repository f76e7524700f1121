// Where the lanes of a load, store or atomic find their bytes: the address operand as it is packed
// into Op::imm, and the checked host pointers of all lanes at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/machine/access.hpp"
#include "sim/program/binding.hpp"

namespace sim {

struct U128 {
  std::uint64_t low, high;
  bool operator==(const U128&) const = default;
};

// Op::imm of these instructions, low bit first: 3 bits Where | base is wide | other blocks' shared
// memory allowed | counts as a poll | 5 bits of the handler's own | 3 bits MemoryOrder | 2 bits
// Scope | 48 bits offset (signed). wmma, always weak, has the bits of order and scope for its own.
enum class Where : std::uint8_t {
  generic,
  global,  // constants too: both are addresses of this process
  shared,
  local,
  frame,  // local memory, at the activation's frame + offset
  bank,   // kernel parameters, at offset
};
inline constexpr int own_bits_shift = 6;
inline constexpr int order_shift = 11;
inline constexpr int scope_shift = 14;
inline constexpr int offset_shift = 16;
inline constexpr std::uint64_t unwatched_order = 7;  // reads of .const: no observer needs them
inline constexpr std::uint64_t wide_bit = 8, remote_bit = 16, poll_bit = 32;

struct AddressForm {
  std::uint64_t imm = 0;
  Where where() const { return static_cast<Where>(imm & 7); }
  bool wide() const { return (imm & wide_bit) != 0; }
  bool remote() const { return (imm & remote_bit) != 0; }
  bool polls() const { return (imm & poll_bit) != 0; }
  int own() const { return static_cast<int>(imm >> own_bits_shift & 0x1f); }
  int own_of_wmma() const { return static_cast<int>(imm >> own_bits_shift & 0x3ff); }
  bool watched() const { return (imm >> order_shift & 7) != unwatched_order; }
  MemoryOrder order() const { return static_cast<MemoryOrder>(imm >> order_shift & 7); }
  Scope scope() const { return static_cast<Scope>(imm >> scope_shift & 3); }
  std::int64_t offset() const { return static_cast<std::int64_t>(imm) >> offset_shift; }
};

// Binds the address operand to op.a and op.imm. `named` is the space the instruction names;
// `remote` says it was shared::cluster.
void bind_address(Binding& binding, const ptx::Operand& operand, ptx::Space named, bool remote);
inline void set_own_bits(Op& op, int bits) {
  op.imm |= static_cast<std::uint64_t>(bits) << own_bits_shift;
}
inline void set_order(Op& op, MemoryOrder order, Scope scope) {
  op.imm |= static_cast<std::uint64_t>(order) << order_shift | static_cast<std::uint64_t>(scope)
                                                                   << scope_shift;
}

// Host pointers of all lanes in `mask`, each good for `bytes`, a power of two that the address must
// be a multiple of. Throws Fault. Counts bytes and bank conflicts when the warp is `detailed`, and
// tells the observer, who sees memory as it was before. Not for Where::bank.
void locate(Warp& warp, const Op& op, Mask mask, std::uint32_t bytes, Access access,
            std::byte** at);

// The same for all 32 lanes where their addresses are evenly spaced, in global memory or in shared
// memory of the own block: lane i finds its bytes at first + i * step. `first` is null where this
// does not hold, or has to be counted or told, or would be a fault: then locate() says more.
struct LaneRun {
  std::byte* first = nullptr;
  std::int64_t step = 0;
};
LaneRun locate_run(Warp& warp, const Op& op, std::uint32_t bytes, Access access);
inline void spread(const LaneRun& run, std::byte** at) {
  std::byte* next = run.first;
  for (int lane = 0; lane < lanes; ++lane, next += run.step) at[lane] = next;
}

// After an instruction has written what locate() gave it: the last thing it does.
Flow tell_wrote(Warp& warp);
inline Flow wrote(Warp& warp) {
  if (warp.observer != nullptr) [[unlikely]]
    return tell_wrote(warp);
  return Flow::next;
}

// Tells the observer, who is there; leaves out lanes in local memory and in kernel parameters.
void tell_access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form);

// The lanes whose address lies in shared memory.
Mask in_shared(const Warp& warp, const Op& op, Mask mask);

}  // namespace sim
