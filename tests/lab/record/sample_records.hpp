// Random records and a small whole run for the tests of lab/record and lab/expect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "lab/record/run_file.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {

RowRecord row_of(const std::string& entry, const std::string& rung, int attempt, RowStatus status,
                 const std::string& reason = "");

SampleRecord sample_of(const std::string& entry, const std::string& rung, int attempt, int index,
                       double ms);

class RecordMaker {
 public:
  explicit RecordMaker(unsigned seed) : engine_(seed) {}

  // Every field set, values that JSON writers get wrong among them. NaN is left to its own test:
  // it is not equal to itself.
  Record make(std::size_t kind);

  static constexpr std::size_t kinds = std::variant_size_v<Record>;

 private:
  FigureRecord figure();
  int below(int limit);
  bool flag();
  int count();
  std::int64_t big();
  double real();
  std::string text();
  std::string maybe_text();
  std::optional<double> maybe_real();
  std::vector<std::string> texts();
  EntryPlan plan();
  OverlapRecord overlap();
  KernelRecord kernel();

  std::mt19937_64 engine_;
};

// ch09:memory_bound with two rungs, measured on an h200 in `samples` samples around the medians.
RunFile small_run(const std::string& id, double baseline_ms = 4.0, double one_pass_ms = 1.0,
                  double scatter = 0.0, int samples = 8);

// The run as its journal's records.
std::vector<Record> records_of(const RunFile& run);

}  // namespace aisp::lab
