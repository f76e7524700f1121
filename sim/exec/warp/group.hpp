// What the warp-wide instructions share: who takes part, in which groups, and how the mode is
// written.
#pragma once

#include <optional>

#include "base/refuse.hpp"
#include "sim/exec/lanes.hpp"
#include "sim/machine/collective.hpp"
#include "sim/program/binding.hpp"

namespace aisp::sim {

// Union of the membermasks of `mask`'s lanes; each lane must name itself.
inline Mask members(const Warp& warp, Ref ref, Mask mask) {
  const auto* member = warp.read<std::uint32_t>(ref);
  std::uint32_t needed = 0, named = 1;
  each_lane(mask, [&](int lane) {
    needed |= member[lane];
    named &= member[lane] >> lane;
  });
  if (named != 0) return needed;
  int lane = std::countr_zero(mask);
  for (Mask left = mask; (member[lane] >> lane & 1) != 0; lane = std::countr_zero(left))
    left &= left - 1;
  throw Fault{FaultKind::illegal_instruction,
              base::say("lane ", lane, " executes an instruction whose membermask 0x", std::hex,
                        member[lane], " does not name it"),
              0, lane};
}

// The lanes that execute together; 0: some are still on their way. op.c is the membermask.
inline Mask assemble(Warp& warp, const Op& op, Mask mask) {
  return gather(warp, mask, members(warp, op.c, mask));
}

// body(group): the lanes of `together` that share a membermask.
template <class Body>
void each_group(const Warp& warp, const Op& op, Mask together, Body&& body) {
  const auto* member = warp.read<std::uint32_t>(op.c);
  for (Mask left = together; left != 0;) {
    const std::uint32_t first = member[std::countr_zero(left) % lanes];
    Mask group = 0;
    for (int lane = 0; lane < lanes; ++lane)
      group |= static_cast<Mask>(member[lane] == first) << lane;
    group &= left;
    left &= ~group;
    body(group);
  }
}

// Writes through a copy: the source may share its slot with the destination.
inline void write_words(Warp& warp, Ref ref, Mask mask, const std::uint32_t* values) {
  if (ref == no_ref) return;
  auto* d = warp.write<std::uint32_t>(ref);
  each_lane(mask, [&](int lane) { d[lane] = values[lane]; });
}

// `.sync` may stand before or behind the mode.
template <class T, std::size_t count>
T mode_with_sync(Binding& b, const Word<T> (&modes)[count]) {
  bool sync = b.accept("sync");
  const std::optional<T> mode = b.accept(modes);
  sync = sync || b.accept("sync");
  if (!sync) b.refuse("without .sync it is not part of sm_70 and later");
  if (!mode) b.refuse("the mode is missing");
  return *mode;
}

void bind_redux(Binding& binding);

}  // namespace aisp::sim
