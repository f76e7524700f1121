// Register storage of one routine: which registers share a slot, and where the slots lie.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/program/liveness.hpp"
#include "sim/program/op.hpp"
#include "sim/program/program.hpp"

namespace aisp::sim {

// Lanes of a warp may stand at different places and hold different registers in one slot, so the
// classes, whose lanes lie differently, never overlap.
enum class SlotClass : std::uint8_t { predicate, word, double_word, quad_word, count };

SlotClass slot_class(Type type);
std::uint32_t slot_bytes(SlotClass kind);  // of a whole warp
std::uint32_t lane_bytes(SlotClass kind);  // 0 for predicates

struct SlotRequest {
  SlotClass kind = SlotClass::word;
  bool exclusive = false;  // shares with nobody
  Interval live;           // not used: no slot, unless exclusive
};

struct SlotPlan {
  std::vector<Ref> place;              // per request, from the start of the region; no_ref: none
  std::vector<RegisterClass> classes;  // likewise
  std::uint32_t bytes = 0;             // a multiple of 64
};

SlotPlan plan_slots(const std::vector<SlotRequest>& requests);

}  // namespace aisp::sim
