#include "lab/report/cliffs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "lab/measure/statistics.hpp"

namespace aisp::lab {
namespace {

using Values = std::vector<std::int64_t>;

bool same_work(const SweepResult& sweep) {
  return std::all_of(sweep.rows.begin(), sweep.rows.end(), [&](const SweepRow& row) {
    return row.rung.empty() ||
           (row.bytes == sweep.rows.front().bytes && row.flops == sweep.rows.front().flops);
  });
}

// Times of one rung by the values of all axes.
std::map<Values, double> times_of(const SweepResult& sweep, const std::string& rung) {
  std::map<Values, double> times;
  for (const auto& row : sweep.rows)
    if (row.rung == rung && row.timed() && row.status != RowStatus::refused)
      times[row.values] = row.median_ms;
  return times;
}

std::vector<std::string> rungs_of(const SweepResult& sweep) {
  std::vector<std::string> rungs;
  for (const auto& row : sweep.rows)
    if (!row.rung.empty() && std::find(rungs.begin(), rungs.end(), row.rung) == rungs.end())
      rungs.push_back(row.rung);
  return rungs;
}

// What is left of the rate from `from` to `to`, for every value of the other axes.
std::vector<double> shares(const std::map<Values, double>& times, std::size_t axis,
                           std::int64_t from, std::int64_t to) {
  std::vector<double> all;
  for (const auto& [values, ms] : times) {
    if (values[axis] != from) continue;
    Values other = values;
    other[axis] = to;
    if (const auto found = times.find(other); found != times.end())
      all.push_back(ms / found->second);
  }
  return all;
}

void add_step(const std::map<Values, double>& times, Cliff step, std::size_t axis,
              std::vector<Cliff>& cliffs) {
  const auto all = shares(times, axis, step.from, step.to);
  std::vector<double> falls;
  for (const double share : all)
    if (share <= cliff_share) falls.push_back(share);
  if (falls.empty() || 2 * falls.size() < all.size()) return;
  step.share = median(falls);
  step.pairs = static_cast<int>(falls.size());
  step.of = static_cast<int>(all.size());
  cliffs.push_back(step);
}

}  // namespace

std::vector<Cliff> cliffs_of(const SweepResult& sweep) {
  std::vector<Cliff> cliffs;
  if (sweep.simulated || !same_work(sweep)) return cliffs;
  for (const auto& rung : rungs_of(sweep)) {
    const auto times = times_of(sweep, rung);
    for (std::size_t axis = 0; axis < sweep.axes.size(); ++axis) {
      const auto& [name, values, geometric] = sweep.axes[axis];
      for (std::size_t i = 1; i < values.size(); ++i)
        for (const bool down : {false, true})
          add_step(times,
                   {.rung = rung,
                    .axis = name,
                    .from = values[down ? i : i - 1],
                    .to = values[down ? i - 1 : i]},
                   axis, cliffs);
    }
  }
  std::stable_sort(cliffs.begin(), cliffs.end(),
                   [](const Cliff& a, const Cliff& b) { return a.share < b.share; });
  return cliffs;
}

std::string cliff_notes(const SweepResult& sweep) {
  std::string text;
  for (const auto& cliff : cliffs_of(sweep))
    text +=
        fmt::format("cliff: {}, {} {} -> {}: {:.2f} of the rate is left{}\n", cliff.rung,
                    cliff.axis, cliff.from, cliff.to, cliff.share,
                    cliff.of == 1 ? "" : fmt::format(" ({} of {} pairs)", cliff.pairs, cliff.of));
  return text;
}

}  // namespace aisp::lab
