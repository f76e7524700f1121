// The form of tcgen05.mma as it is written, and the handler.
#pragma once

#include <cstdint>

#include "sim/exec/memory/address_slots.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

enum class MmaKind : std::uint8_t { f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 };
const char* name_of(MmaKind kind);
constexpr bool has_block_scales(MmaKind kind) { return kind >= MmaKind::mxf8f6f4; }

// Operands: addresses of tensor memory in slots, in this order as far as the form has them: D, A,
// metadata, scales of A, scales of B; behind them in the list the words of disable-output-lane.
// Op::a and Op::b are the descriptors, Op::c the instruction descriptor, Op::d the predicate
// enable-input-d, Op::dst2 the zero-column mask of .ws.
struct MmaForm {
  AddressSlots slots;
  MmaKind kind{};
  std::uint8_t scale_vector = 0;  // scales for the k of one instruction, dense or sparse: 1, 2, 4
  std::uint8_t scale_d = 0;       // D is divided by two to the power of it
  bool pair : 1 = false, weight_stationary : 1 = false, sparse : 1 = false;
  bool a_in_tensor_memory : 1 = false, shifts_a : 1 = false, masks_lanes : 1 = false;
  bool accumulate_negated : 1 = false;

  int a_slot() const { return 1; }
  int metadata_slot() const { return 1 + a_in_tensor_memory; }
  int scales_slot() const { return metadata_slot() + sparse; }
  int slot_count() const { return scales_slot() + (has_block_scales(kind) ? 2 : 0); }
  int mask_words() const { return !masks_lanes ? 0 : pair ? 8 : 4; }
};

Flow run_tensor_mma(Warp& warp, const Op& op, Mask mask);

}  // namespace aisp::sim
