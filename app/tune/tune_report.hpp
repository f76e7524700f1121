// What `aisp tune gemm` prints. Every column is explained in docs/cli.md.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/tune/tune_size.hpp"
#include "lab/report/results.hpp"

namespace aisp::app {

struct SizeCandidates {
  lab::Size size;
  std::vector<Candidate> candidates;
};

struct TuneOutcome {
  std::vector<TunedSize> sizes;
  std::size_t asked = 0;
  bool interrupted = false, simulated = false;
  std::filesystem::path path;  // where the choices are kept
};

// Of --list.
lab::Table candidates_table(const std::vector<SizeCandidates>& all);

// The fastest candidate of each size, the library's own choice and the opponent; or everything.
lab::Table tuned_table(const TuneOutcome& outcome, bool everything);

void print_table(const lab::Table& table, lab::Format format);

// Table, reasons and last line. Returns the exit code that the outcome calls for.
int print_outcome(const TuneOutcome& outcome, lab::Format format, bool everything);

}  // namespace aisp::app
