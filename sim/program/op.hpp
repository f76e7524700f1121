// One decoded instruction: a handler and where its operands lie. Sixty-four bytes; what a handler
// needs beyond its operands lies in `imm`: a number, or the form that sim/exec/form.hpp puts there.
#pragma once

#include <cstdint>

namespace aisp::sim {

struct Warp;

using Mask = std::uint32_t;  // one bit per lane
inline constexpr int lanes = 32;
inline constexpr Mask all_lanes = 0xffffffffu;

// Where the 32 lane values of an operand lie: bytes from the start of the warp's registers, or of
// the program's constants when the top bit is set. A register of up to 32 bits is an array of 32
// words (narrow values in the low bits, the rest zero), one of 64 bits an array of 32 double words,
// one of 128 bits an array of 32 pairs of double words; a predicate is one Mask.
using Ref = std::uint32_t;
inline constexpr Ref constant_bit = 0x80000000u;
inline constexpr Ref no_ref = 0xffffffffu;  // operand absent, or the sink `_`

enum class Flow : std::uint8_t {
  next,   // go on with the instruction behind
  moved,  // the handler changed the lane group's pc, mask, or split it
  wait,   // not yet: the lane group's Wait says for what; run the same instruction again later
};

struct Op;
using Handler = Flow (*)(Warp&, const Op&, Mask);

// What --stats counts by.
enum class OpClass : std::uint8_t {
  integer,
  logic,
  compare,
  convert,
  move,
  float32,
  float64,
  half,
  special,
  tensor,
  load,
  store,
  atomic,
  async_copy,
  shuffle,
  barrier,
  fence,
  branch,
  other,
  count,
};

struct alignas(64) Op {
  Handler run = nullptr;
  Ref dst = no_ref, dst2 = no_ref;  // dst2: the second result (carry out, d|p)
  Ref a = no_ref, b = no_ref, c = no_ref, d = no_ref;
  Ref guard = no_ref;      // predicate; no_ref: always
  std::uint32_t list = 0;  // first of `list_size` Refs in Program::lists: vectors, tensors
  std::uint64_t imm = 0;   // the handler's own: its form, or a number
  // Branch: pc to go to; call: function; brx: first of targets; deferred results: how many entries
  // of the list stand before them.
  std::uint32_t target = 0;
  std::uint32_t join = 0;  // branch: pc where its lanes meet again; Program::no_join
  std::uint16_t list_size = 0;
  bool guard_negated = false;
  OpClass kind = OpClass::other;
  // Bits of one byte: the interpreter asks for all at once before every op.
  bool drains_products : 1 = false;   // a plain move of a wgmma accumulator: waits for the product
  bool touches_products : 1 = false;  // names a register of a wgmma, and is neither one nor a move
  // Names a register that some tcgen05.ld writes, or a copy of one that mov made.
  bool touches_loads : 1 = false;
  bool copies_load : 1 = false;     // ... and is such a mov
  bool defers_results : 1 = false;  // tcgen05.ld
};
static_assert(sizeof(Op) == 64);

}  // namespace aisp::sim
