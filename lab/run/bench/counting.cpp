#include "lab/run/bench/counting.hpp"

#include <nlohmann/json.hpp>

#include "base/shared_library.hpp"
#include "lab/trace/overlap.hpp"

namespace aisp::lab {
namespace {

// Functions of the simulator's library (sim/cudart/count.cpp); false and nothing without it.
bool start() {
  const auto function = base::find_in_process<int()>("aispCountStart");
  return function != nullptr && function() != 0;
}
void stop() { base::find_in_process<void()>("aispCountStop")(); }
nlohmann::json read_all() {
  return nlohmann::json::parse(base::find_in_process<const char*()>("aispCountRead")());
}

// In per cent of the time from the first start to the last end, over all devices.
double overlap_of(const Trace& trace) {
  double overlapped = 0, window = 0;
  for (const Overlap& overlap : overlaps_of(trace)) {
    overlapped += overlap.overlapped;
    window += overlap.window;
  }
  return window > 0 ? 100 * overlapped / window : 0;
}

}  // namespace

CountedRun::CountedRun() : on_(start()) {
  if (on_) schedule_ = start_simulator_trace();
}

CountedRun::~CountedRun() {
  if (on_) stop();
}

std::vector<CountRecord> CountedRun::read() const {
  if (!on_) return {};
  const nlohmann::json counts = read_all();
  std::vector<CountRecord> records;
  for (const auto& [count, name] : names_of(Count{})) {
    if (count == Count::overlap)
      records.push_back({count, overlap_of(schedule_->trace())});
    else
      records.push_back({count, counts.at(std::string(name)).get<double>()});
  }
  return records;
}

std::vector<CounterRecord> counters_of(const std::vector<CountRecord>& counts) {
  constexpr std::pair<Count, Counter> same[] = {
      {Count::tensor_operations, Counter::tensor_operations},
      {Count::wavefronts, Counter::shared_wavefronts},
      {Count::bank_conflicts, Counter::bank_conflicts}};
  std::vector<CounterRecord> counters;
  for (const auto& [count, value] : counts)
    for (const auto& [mine, theirs] : same)
      if (count == mine) counters.push_back({theirs, value});
  return counters;
}

}  // namespace aisp::lab
