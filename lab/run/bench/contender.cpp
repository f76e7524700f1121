#include "lab/run/bench/contender.hpp"

#include <stdexcept>

#include "lab/judge/poison.hpp"
#include "lab/measure/statistics.hpp"

namespace aisp::lab {

void* Contender::kept(std::size_t bytes, const char* why) {
  if (*why == '\0') throw std::logic_error("Setup::kept() wants to know what outlives a run");
  return kept_.emplace_back(device_, bytes).get();
}

void Contender::poison(const Launch& launch) const {
  for (const auto& poison : poisons_) poison(launch);
  poison_own_outputs(launch);
  // Last, so that streams of the rung, which the others may have used, must wait for it.
  for (const auto& memory : scratch_) device_.fill(memory.get(), poison_byte, memory.bytes());
}

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
