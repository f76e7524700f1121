// From samples to the row that a reader sees: median with its interval, speed-up and verdict
// against the baseline, share of the roof, or the refusal of a time that cannot be.
#pragma once

#include <optional>
#include <span>

#include "lab/measure/ceilings.hpp"
#include "lab/measure/l2.hpp"
#include "lab/measure/roofline.hpp"
#include "lab/record/records.hpp"

namespace aisp::lab {

struct RoofContext {
  double flops = 0, bytes = 0, written_bytes = 0;
  Unit unit = Unit::none;
  LinkBytes link{};
  std::optional<Ceilings> ceilings;
  L2Mode l2 = L2Mode::cold;
  int sets = 2;
  std::int64_t l2_bytes = 0;
};

// Fills the measured part of `row`. An empty baseline leaves speed-up and verdict out; the baseline
// itself has speed-up 1 and no verdict.
void summarize(RowRecord& row, std::span<const double> samples, std::span<const double> baseline,
               bool is_baseline, const RoofContext& context);

}  // namespace aisp::lab
