// A sweep as it was measured: one row per point and rung, what bounds each, and where that changes
// along the first axis. As a table for people, and one for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/measure/ceilings.hpp"
#include "lab/measure/roofline.hpp"
#include "lab/record/run_file.hpp"
#include "lab/report/table.hpp"
#include "lab/run/plan/sweep.hpp"

namespace aisp::lab {

// A time up to this many launches of an empty kernel is bound by the launch: at least half of it is
// not work.
inline constexpr double launch_factor = 2;

struct SweepRow {
  std::vector<std::int64_t> values;  // of the sweep's axes
  std::string size;                  // with the extents that were not swept
  std::string rung;                  // "" where the target refused the size
  bool peer = false;
  RowStatus status = RowStatus::failed;
  std::string reason;  // why there is no time, or what to know about it
  int samples = 0;
  double median_ms = 0, low_ms = 0, high_ms = 0, speedup = 0;
  double flops = 0, bytes = 0;
  bool computes = false;              // arithmetic can bound it
  std::optional<double> roof_share;   // of the measured ceilings
  std::string bound;                  // "launch", "memory", "bf16 matrix"; "" where unknown
  std::string bound_before;           // that of the point before, where it is another one
  std::vector<CountRecord> counts{};  // of a simulated run
  std::string idea{};                 // shown_idea() of a simulated run

  bool timed() const { return samples > 0 && median_ms > 0; }
  std::optional<double> count_of(Count count) const;
};

struct SweepResult {
  std::string target, variant, device;
  bool simulated = false;
  std::vector<SweepAxis> axes;
  double launch_ms = 0;  // of an empty kernel in this run; 0 where it was not measured
  bool roofs_known = false;
  // Of a simulated run, which shows no time: the count that is drawn, or why there is none.
  std::optional<Count> shows_in{};
  std::string shows_nowhere{};
  // By the values of all axes but the first, then by rung, then along the first axis; what the
  // target refused comes after the rungs.
  std::vector<SweepRow> rows;

  // Whether a picture has a point for this row: a time, or the count that shows the idea.
  bool is_drawn(const SweepRow& row) const;
};

// Of an empty kernel in this run; 0 where it was not measured.
double launch_time(const RunFile& run);

// What bounds a time. Without a launch time (0) the roof alone decides, without a roof nothing
// does: "".
std::string bound_of(double median_ms, double launch_ms, const std::optional<Roof>& roof);

// Marks the rows whose bound is another one than at the point before; points without a bound are
// passed over. `rows` is one line of the plot.
void mark_changes(std::vector<SweepRow*>& rows);

// Rates to place a problem under its roof on the simulator, where nothing can be measured: the
// vendor's figures of "h200", "a100" or "b200", nothing for others.
std::optional<Ceilings> datasheet(const std::string& hardware);

SweepResult sweep_result(const SweepPlan& plan, const RunFile& run,
                         const std::optional<Ceilings>& ceilings);

Table sweep_table(const SweepResult& sweep);
// Plain numbers in milliseconds, GB/s and TFLOP/s, one row for every row of the sweep. A simulated
// one has counts in place of times.
Table sweep_numbers(const SweepResult& sweep);
// The lines under the table: what `bound` rests on.
std::string sweep_notes(const SweepResult& sweep);

// The row's place off the first axis: "D=64", "" where only one axis is swept.
std::string other_values(const SweepResult& sweep, const SweepRow& row);

}  // namespace aisp::lab
