// What the tcgen05 instructions share: the words of their forms and their addresses.
#pragma once

#include "sim/exec/memory/address_slots.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

// Kinds of modifiers; each instruction allows its own.
enum class TensorWord : std::uint8_t {
  pair,        // .cta_group: 1, 2
  sync,        //
  aligned,     //
  space,       // CopySpace
  type,        // .b32, .b64
  completion,  // .mbarrier::arrive::one
  multicast,   //
  shape,       // TransferShape, CopyShape
  count,       // .x1 to .x128
  pack,        // .pack::16b, .unpack::16b
  rows,        // .warpx4, ...
  to_bytes,    // .b8x16
  packed,      // Packed
  down,        //
};

inline constexpr Modifier tensor_words[] = {
    {"cta_group::1", TensorWord::pair, 1},
    {"cta_group::2", TensorWord::pair, 2},
    {"sync", TensorWord::sync},
    {"aligned", TensorWord::aligned},
    {"shared::cta", TensorWord::space, CopySpace::shared_cta},
    {"shared::cluster", TensorWord::space, CopySpace::shared_cluster},
    {"b32", TensorWord::type, 32},
    {"b64", TensorWord::type, 64},
};

inline void require_sync(const Binding& b, const ModifierSet& given) {
  if (!given.has(TensorWord::sync)) b.refuse("'.sync' is missing");
}
inline void require_sync_aligned(const Binding& b, const ModifierSet& given) {
  require_sync(b, given);
  if (!given.has(TensorWord::aligned)) b.refuse("'.aligned' is missing");
}

// True: .cta_group::2.
inline bool take_pair(const Binding& b, const ModifierSet& given) {
  if (!given.has(TensorWord::pair)) b.refuse("'.cta_group::1' or '.cta_group::2' is missing");
  return given.get(TensorWord::pair, 1) == 2;
}

// [taddr]: 32 bits, no variable.
inline void bind_tensor_address(Binding& b, AddressSlots& slots, int slot,
                                const ptx::Operand& operand) {
  if (operand.kind != ptx::Operand::Kind::address)
    b.refuse("an address of tensor memory stands in brackets");
  bind_address(b, slots, slot, operand);
  ptx::Operand base;
  base.kind = ptx::Operand::Kind::name;
  base.name = operand.address.base;
  if ((slots.wide >> slot & 1) != 0 || !b.is_register(base))
    b.refuse("an address of tensor memory is a register of 32 bits");
}

inline std::uint32_t tensor_bits(const Warp& warp, const Op& op, int slot, int lane) {
  return static_cast<std::uint32_t>(lane_address(warp, op, slot, lane));
}

// The other block of the pair; faults when the cluster has none.
Block& peer_of(Block& block);
// The block itself, or both of its pair, the even one first.
struct TensorBlocks {
  Block* at[2] = {};
  int count = 1;
  Block* const* begin() const { return at; }
  Block* const* end() const { return at + count; }
};
TensorBlocks tensor_blocks(Block& block, bool pair);

// The functions behind tensor_memory_rows(), by the file that holds them.
void bind_tensor_load(Binding& b);   // transfer.cpp
void bind_tensor_store(Binding& b);  //
void bind_tensor_wait_loads(Binding& b);
void bind_tensor_wait_stores(Binding& b);
void bind_tensor_copy(Binding& b);  // copy.cpp
void bind_tensor_shift(Binding& b);
void bind_tensor_commit(Binding& b);  // order.cpp
void bind_tensor_fence_before(Binding& b);
void bind_tensor_fence_after(Binding& b);

// Lane i of every quarter takes what lane i + 1 holds in eight columns; the last keeps its own.
void shift_down(Block& block, std::uint32_t column);

}  // namespace aisp::sim
