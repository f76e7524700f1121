// `aisp bench run --self-check`: a rung against itself, on made-up samples and on real ones. A lab
// that finds a difference there cannot be trusted to find one elsewhere.
#pragma once

#include "lab/run/session.hpp"

namespace aisp::lab {

struct SelfCheckTally {
  int same = 0, faster = 0, slower = 0, ambiguous = 0;
  int all() const { return same + faster + slower + ambiguous; }
  bool good() const { return 100 * same >= 95 * all() && all() > 0; }
};

// One noisy distribution drawn twice, so many times.
SelfCheckTally made_up_self_check(int repetitions, std::uint64_t seed);

// The repetitions that a self-check run recorded.
SelfCheckTally recorded_self_check(const RunFile& run, const EntryPlan& entry);

// Prints both and finishes the session: 0 when each comes out "same" at least 95 times in 100.
int report_self_check(Session& session);

}  // namespace aisp::lab
