// Cliffs of a sweep: neighbouring values of an axis between which the rate falls. Only of sweeps
// whose points are all the same work done in different ways; elsewhere a rate that grows with the
// size is no cliff.
#pragma once

#include <string>
#include <vector>

#include "lab/report/sweep.hpp"

namespace aisp::lab {

// A fall to this part of the rate, or below it, is one.
inline constexpr double cliff_share = 0.75;

struct Cliff {
  std::string rung, axis;
  std::int64_t from = 0, to = 0;  // neighbouring values; the rate is lower at `to`
  double share = 0;               // of the rate that is left: median over `pairs`
  int pairs = 0, of = 0;          // that fall so far, of those measured on both sides
};

// Steepest first. A step counts where it falls for at least half of the values of the other axes.
std::vector<Cliff> cliffs_of(const SweepResult& sweep);

// A line each; "" where there are none.
std::string cliff_notes(const SweepResult& sweep);

}  // namespace aisp::lab
