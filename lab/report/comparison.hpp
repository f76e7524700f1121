// Two runs, rung by rung: on one machine before and after, or on two.
#pragma once

#include <string>
#include <vector>

#include "lab/measure/verdict.hpp"
#include "lab/record/run_file.hpp"

namespace aisp::lab {

// Two processes differ by more than their samples show: memory lies elsewhere, clocks start anew.
// Interleaved rungs of one run are told apart from 1 %, runs of unchanged code differ by up to
// that.
inline constexpr double least_effect_between_runs = 0.03;

struct ComparedRow {
  std::string entry, rung;
  double a_ms = 0, b_ms = 0;  // medians
  Comparison result{};        // of b against a
};

bool is_simulated(const RunFile& run);

// Why these two are not compared: one was simulated and the other measured. "": they are.
std::string why_not_compared(const RunFile& a, const RunFile& b);

// Every rung that both have a time of, in the order of the first.
std::vector<ComparedRow> compare_runs(const RunFile& a, const RunFile& b);

}  // namespace aisp::lab
