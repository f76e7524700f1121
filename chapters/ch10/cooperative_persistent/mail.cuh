// Two floats from a block to its neighbour, together with the step they belong to: one store, one
// load, and no other order of memory is needed, because every half carries its own number.
#pragma once

#include "chapters/ch10/cooperative_persistent/smoothing.hpp"
#include "tile/arch/target.cuh"

namespace aisp::ch10 {

// Half k is float k in the low word and the tag in the high one; halves are read and written whole.
struct alignas(16) Letter {
  std::uint64_t half[2];
};

// For every block two mailboxes, written in turn, for each of its sides. A sender fills a mailbox
// again two steps later; by then it has had the receiver's answer to what was in it.
struct Mailboxes {
  Letter at[2][2];  // [tag % 2][side]
};
enum Side { from_left, from_right };

TILE_DEVICE Letter look(const Letter& mailbox) {
  Letter letter;
  asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
               : "=l"(letter.half[0]), "=l"(letter.half[1])
               : "l"(__cvta_generic_to_global(&mailbox))
               : "memory");
  return letter;
}

TILE_DEVICE void send(Letter& mailbox, float2 value, std::uint32_t tag) {
  const std::uint64_t high = std::uint64_t{tag} << 32;
  asm volatile(
      "st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(&mailbox)),
      "l"(high | __float_as_uint(value.x)), "l"(high | __float_as_uint(value.y))
      : "memory");
}

TILE_DEVICE bool is_of(const Letter& letter, std::uint32_t tag) {
  return letter.half[0] >> 32 == tag && letter.half[1] >> 32 == tag;
}

// `letter` is what was seen in the mailbox before; waits for the one with that tag.
TILE_DEVICE float2 receive(const Letter& mailbox, Letter letter, std::uint32_t tag) {
  while (!is_of(letter, tag)) letter = look(mailbox);
  return {__uint_as_float(static_cast<unsigned>(letter.half[0])),
          __uint_as_float(static_cast<unsigned>(letter.half[1]))};
}

}  // namespace aisp::ch10
