// A ladder as it stands in an expectations file, for the README of a target: which rung reaches
// what, beside the peers; and all sizes of a target against the fastest peer.
#pragma once

#include <string>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/case/rung.hpp"
#include "lab/expect/expectations.hpp"
#include "lab/report/table.hpp"

namespace aisp::lab {

struct LadderBar {
  std::string name, idea;
  bool peer = false;
  double median_ms = 0;
  double rate = 0, low = 0, high = 0;  // in Ladder::unit, at the median and its 95 % interval
};

struct Ladder {
  std::string target, size, hardware;
  std::string unit;             // "TFLOP/s", or "GB/s" where no arithmetic bounds the problem
  std::vector<LadderBar> bars;  // in the order of the ladder, then the peers; only what has a time
};

// `rungs` as rungs_of(target) gives them. No bars where the file has no time for the size.
Ladder ladder_of(const Expectations& expectations, const Target& target,
                 const std::vector<Rung>& rungs, const Size& size);

// One row per rung: idea, median, speed-up over the first, rate, and the rate relative to that of
// the fastest peer where there is one.
Table ladder_table(const Ladder& ladder);

// One row per ladder that has own rungs and peers: the last rung against the fastest peer, and in
// the last row the geometric mean of those ratios. Without such a ladder it has no rows.
Table against_peers(const std::vector<Ladder>& ladders);

}  // namespace aisp::lab
