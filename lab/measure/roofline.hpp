// The least time a problem can take on a device: bytes over copy bandwidth, operations over the
// rate of its unit or bytes over the host's link, whichever is longer. A result well below that is
// wrong and is refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lab/case/case.hpp"
#include "lab/measure/ceilings.hpp"

namespace aisp::lab {

struct Roof {
  std::string name;        // the roof that applies: "memory", "bf16 matrix", "link to device", …
  double floor_ms = 0.0;   // the longest of those below
  double intensity = 0.0;  // operations per byte
  double ridge = 0.0;      // intensity from which arithmetic is the roof; 0 without a unit
  double memory_ms = 0.0;  // all bytes at measured copy bandwidth
  double arithmetic_ms = 0.0;  // 0 without a unit
  double link_ms = 0.0;        // over the host's link: the busier of its two ways, or both

  // 1 is on the roof.
  double share(double median_ms) const { return floor_ms / median_ms; }
};

// "memory" for Unit::none.
std::string_view roof_name(Unit unit);

// What must cross the host's link each way. The two ways work at the same time, but not each as
// well as alone.
struct LinkBytes {
  double to_device = 0.0, to_host = 0.0;
};

// Nothing when a ceiling that the problem depends on is unknown: a share of the other roof would
// look like an answer and be none.
std::optional<Roof> roof_of(double flops, double bytes, Unit unit, const Ceilings& ceilings,
                            LinkBytes link = {});

// How far the memory floor binds when a result is judged to be impossible.
struct MemoryFloor {
  // Share of the bytes that must cross the bus in the timed window: travel_share() of l2.hpp.
  double travel_share = 1.0;
  // A copy pays for turning the bus between reads and writes; a kernel that only reads gets about
  // 10 % more than the copy ceiling, and the theoretical peak lies 12 to 17 % above it. Beyond
  // this factor no kernel that reads its inputs can be.
  double headroom = 1.20;
};

// Whether a median is shorter than the device allows. `slack` is the arithmetic floor's: ceilings
// of matrix units move by a few per cent with power and data.
bool below_floor(double median_ms, const Roof& roof, double slack = 0.03, MemoryFloor memory = {});

}  // namespace aisp::lab
