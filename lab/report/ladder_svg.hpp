// A ladder as a picture: one bar per rung, a line across for each peer. One file that any browser
// shows, light or dark as the reader has it.
#pragma once

#include <string>

#include "lab/report/ladder.hpp"

namespace aisp::lab {

// Refuses (Exit::usage) a ladder without bars.
std::string ladder_svg(const Ladder& ladder);

// The distance between ticks on an axis to `most`: 1, 2 or 5 times a power of ten, four to ten
// ticks.
double tick_step(double most);

}  // namespace aisp::lab
