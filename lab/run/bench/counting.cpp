#include "lab/run/bench/counting.hpp"

#include <nlohmann/json.hpp>

#include "base/shared_library.hpp"
#include "lab/trace/collector.hpp"
#include "lab/trace/overlap.hpp"

namespace aisp::lab {
namespace {

// Functions of the simulator's library (sim/cudart/count.cpp), from here to its end.
class Counting {
 public:
  Counting() : on_(start_ != nullptr && start_() != 0) {}
  Counting(const Counting&) = delete;
  Counting& operator=(const Counting&) = delete;
  ~Counting() {
    if (on_) stop_();
  }
  explicit operator bool() const { return on_; }
  nlohmann::json read() const { return nlohmann::json::parse(read_()); }

 private:
  int (*start_)() = base::find_in_process<int()>("aispCountStart");
  void (*stop_)() = base::find_in_process<void()>("aispCountStop");
  const char* (*read_)() = base::find_in_process<const char*()>("aispCountRead");
  bool on_;
};

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

std::vector<CountRecord> count_rung(Device& device, const Contender& contender,
                                    const Buffers& buffers, AsTimed& as_timed) {
  contender.before(buffers.launch(0));
  device.synchronize();
  const Counting counting;
  if (!counting) return {};
  const auto schedule = start_simulator_trace();
  as_timed.enqueue(contender, 0);
  device.synchronize();
  const nlohmann::json counts = counting.read();
  std::vector<CountRecord> records;
  for (const auto& [count, name] : names_of(Count{})) {
    if (count == Count::overlap)
      records.push_back({count, overlap_of(schedule->trace())});
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
