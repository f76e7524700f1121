// The simulator keeps its schedule itself; its library has functions that start and end that and
// give it out as JSON (sim/cudart/trace.cpp).
#include <cuda_runtime_api.h>

#include <map>

#include "base/shared_library.hpp"
#include "lab/case/range.hpp"
#include "lab/trace/collector.hpp"
#include "lab/trace/schedule.hpp"

namespace aisp::lab {
namespace {

using Act = void();
using Tell = void(const char*);
using Ask = const char*();

class SimulatorCollector : public Collector, RangeSink {
 public:
  SimulatorCollector() {
    start_();
    before_ = set_range_sink(this);
  }
  ~SimulatorCollector() override {
    set_range_sink(before_);
    stop_();
  }

  void restart() override { start_(); }

  Trace trace() override {
    Trace trace = trace_of_schedule(read_());
    // The simulator numbers the streams of all its devices in one row.
    std::map<std::uint64_t, std::string> names;
    for (const auto& [stream, name] : named_streams()) {
      unsigned long long id = 0;
      if (cudaStreamGetId(stream, &id) == cudaSuccess)
        names[id] = name;
      else
        cudaGetLastError();
    }
    for (const auto& interval : trace.intervals) {
      const auto found = names.find(interval.stream);
      if (found == names.end()) continue;
      trace.streams.push_back({interval.device, found->first, found->second});
      names.erase(found);
    }
    return trace;
  }

 private:
  void push(const std::string& name) override { push_(name.c_str()); }
  void pop() override { pop_(); }
  void mark(const std::string& text) override { mark_(text.c_str()); }

  Act* start_ = base::find_in_process<Act>("aispTraceStart");
  Act* stop_ = base::find_in_process<Act>("aispTraceStop");
  Ask* read_ = base::find_in_process<Ask>("aispTraceRead");
  Tell* push_ = base::find_in_process<Tell>("aispTracePush");
  Act* pop_ = base::find_in_process<Act>("aispTracePop");
  Tell* mark_ = base::find_in_process<Tell>("aispTraceMark");
  RangeSink* before_ = nullptr;
};

}  // namespace

bool simulator_traces() { return base::find_in_process<Act>("aispTraceStart") != nullptr; }

std::unique_ptr<Collector> start_simulator_trace() {
  return std::make_unique<SimulatorCollector>();
}

}  // namespace aisp::lab
