// What the simulator counts while a rung runs once: a pass of its own behind the timed runs, as a
// trace is.
#pragma once

#include <vector>

#include "lab/run/bench/as_timed.hpp"

namespace aisp::lab {

// Empty on a GPU, and where the checker looks on in place of whoever counts.
std::vector<CountRecord> count_rung(Device& device, const Contender& contender,
                                    const Buffers& buffers, AsTimed& as_timed);

// Those of them that a GPU counts the same way.
std::vector<CounterRecord> counters_of(const std::vector<CountRecord>& counts);

}  // namespace aisp::lab
