// The simulator keeps its schedule itself; its library has functions that start and end that and
// give it out as JSON (sim/cudart/trace.cpp).
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <map>

#include "lab/case/range.hpp"
#include "lab/trace/collector.hpp"
#include "lab/trace/schedule.hpp"

namespace lab {
namespace {

using Act = void();
using Tell = void(const char*);
using Ask = const char*();

template <class Function>
Function* exported(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

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

  Act* start_ = exported<Act>("aispTraceStart");
  Act* stop_ = exported<Act>("aispTraceStop");
  Ask* read_ = exported<Ask>("aispTraceRead");
  Tell* push_ = exported<Tell>("aispTracePush");
  Act* pop_ = exported<Act>("aispTracePop");
  Tell* mark_ = exported<Tell>("aispTraceMark");
  RangeSink* before_ = nullptr;
};

}  // namespace

bool simulator_traces() { return dlsym(RTLD_DEFAULT, "aispTraceStart") != nullptr; }

std::unique_ptr<Collector> start_simulator_trace() {
  return std::make_unique<SimulatorCollector>();
}

}  // namespace lab
