// The lines of a sweep's plot: one per rung and per value of the axes off the plot's own.
#pragma once

#include <string>
#include <vector>

#include "lab/report/sweep.hpp"

namespace aisp::lab {

inline constexpr int series_colours = 8, series_dashes = 4;

struct Series {
  std::string name;  // "wgmma D=64"
  int colour = 0, dash = 0;
  std::vector<const SweepRow*> rows;  // with a time, along the first axis
};

// Rungs have colours and values of the other axes have dashes, so that either can be followed.
// Points into the sweep.
std::vector<Series> series_of(const SweepResult& sweep);

}  // namespace aisp::lab
