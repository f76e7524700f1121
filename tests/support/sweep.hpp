// Sweeps over seeds and cases have two forms: `make test` runs a sample, and
// AISP_TEST_SWEEPS=full, which `make nightly` sets, runs everything.
#pragma once

#include <cstdlib>
#include <string_view>

namespace aisp::test_sweep {

inline bool is_full() {
  const char* sweeps = std::getenv("AISP_TEST_SWEEPS");
  return sweeps != nullptr && std::string_view(sweeps) == "full";
}

// How many cases a test takes.
inline int cases(int sampled, int all) { return is_full() ? all : sampled; }

}  // namespace aisp::test_sweep
