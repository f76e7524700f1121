// Where the lanes of a load, store or atomic find their bytes: the address operand as the form has
// it, and the checked host pointers of all lanes at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/exec/form.hpp"
#include "sim/machine/access.hpp"
#include "sim/program/binding.hpp"

namespace aisp::sim {

struct U128 {
  std::uint64_t low, high;
  bool operator==(const U128&) const = default;
};

enum class Where : std::uint8_t {
  generic,
  global,  // constants too: both are addresses of this process
  shared,
  local,
  frame,  // local memory, at the activation's frame + offset
  bank,   // kernel parameters, at offset
};

// The form of loads, stores, atomics and ldmatrix.
struct AddressForm {
  static constexpr auto constant = static_cast<MemoryOrder>(7);  // .const: has no order

  Where where : 3 = Where::generic;
  bool wide : 1 = false;        // lanes of the base are 64 bits
  bool remote : 1 = false;      // other blocks' shared memory is allowed
  bool polls : 1 = false;       // counts as a poll
  std::uint16_t count : 4 = 0;  // elements of a vector atomic, matrices of ldmatrix
  bool transposed : 1 = false;  // ldmatrix, stmatrix
  MemoryOrder order : 3 = MemoryOrder::weak;
  Scope scope : 2 = Scope::cta;
  std::int64_t offset : 48 = 0;

  bool is_constant() const { return order == constant; }
};
static_assert(sizeof(AddressForm) == 8);

// Binds the address operand to op.a and tells the rest. `named` is the space the instruction names;
// `remote` says it was shared::cluster. The caller adds what it has to say and sets the op's form.
AddressForm bind_address(Binding& binding, const ptx::Operand& operand, ptx::Space named,
                         bool remote);

// Host pointers of all lanes in `mask`, each good for `bytes`, a power of two that the address must
// be a multiple of. Throws Fault. Counts bytes and bank conflicts when the warp is `detailed`, and
// tells the observer, who sees memory as it was before. Not for Where::bank. `elements`: into how
// many registers of the op's list a load goes, so that those that go nowhere are not told as read.
void locate(Warp& warp, const Op& op, Mask mask, std::uint32_t bytes, Access access, std::byte** at,
            int elements = 1);

// The same for all 32 lanes where their addresses are evenly spaced, in global memory or in shared
// memory of the own block: lane i finds its bytes at first + i * step. `first` is null where this
// does not hold, or has to be counted, or would be a fault: then locate() says more.
struct LaneRun {
  std::byte* first = nullptr;
  std::int64_t step = 0;
};
LaneRun locate_run(Warp& warp, const Op& op, std::uint32_t bytes, Access access, int elements);
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

// Base register plus offset, widened to 64 bits.
void addresses_of(const Warp& warp, const Op& op, Mask mask, std::uint64_t* addresses);

// Tells the observer, who is there; leaves out lanes in local memory and in kernel parameters.
void tell_access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form);

// The lanes whose address lies in shared memory.
Mask in_shared(const Warp& warp, const Op& op, Mask mask);

}  // namespace aisp::sim
