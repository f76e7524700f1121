#include "lab/run/contender.hpp"

#include "lab/measure/statistics.hpp"

namespace aisp::lab {

std::vector<FigureRecord> Contender::figures() const {
  std::vector<FigureRecord> records;
  for (const auto& figure : figures_) {
    if (figure.values.empty()) continue;  // nothing was timed
    const Interval interval = bootstrap_median(figure.values);
    records.push_back({.name = figure.name,
                       .unit = figure.unit,
                       .median = median(figure.values),
                       .low = interval.low,
                       .high = interval.high});
  }
  return records;
}

}  // namespace aisp::lab
