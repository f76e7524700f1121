// Lanes that wait for each other inside a warp: `.sync` and `.aligned` instructions.
#pragma once

#include "sim/machine/warp.hpp"

namespace aisp::sim {

// A handler of a warp-wide instruction calls this first. `needed` is every lane that must take part
// (the union of the active lanes' membermasks; all_lanes for `.aligned`); lanes that have exited do
// not count. Returns the lanes that now execute the instruction together: at least `mask`, more
// when other lane groups were waiting at this same instruction and have been merged into the
// running one. Returns 0 when some are still on their way: the handler returns Flow::wait at once.
Mask gather(Warp& warp, Mask mask, Mask needed);

// bar.warp.sync: the lanes may stand at different instructions; those that wait at this same one
// are merged into the running lane group. True: go on.
// `members`: the masks that the lanes themselves name, for the observer.
bool meet(Warp& warp, Mask mask, Mask needed, const std::uint32_t* members);

// Splits the running lane group at a branch: `taken` lanes go to `target`, the others to the
// next instruction; they meet again at `join`. Handles the uniform cases without a split.
void diverge(Warp& warp, Mask taken, std::uint32_t target, std::uint32_t join);

// The lanes of the running lane group, which is about to be split, are to meet at `pc`, `depth`
// calls deep.
void push_join(Warp& warp, std::uint32_t pc, std::uint32_t depth);

// The lanes of `mask` leave: `exit`, or `ret` of a kernel.
void leave(Warp& warp, Mask mask);

// The lanes of `mask` as a lane group of their own, standing where the running one stands.
LaneGroup& split_off(Warp& warp, Mask mask);

// Copies what the lanes of `mask` hold in a piece of register storage.
void blend(std::byte* to, const std::byte* from, const RegisterClass& part, Mask mask);

// For the interpreter: the lane group stands where its innermost join may be. True: it goes on,
// merged with those that waited for it; false: it waits.
bool arrive_at_join(Warp& warp, LaneGroup& lane_group);
// The lane group, which waits at a join, goes on without the others.
void give_up_join(Warp& warp, LaneGroup& lane_group);

}  // namespace aisp::sim
