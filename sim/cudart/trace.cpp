// The schedule that was simulated, for lab/trace: functions of the simulator's library alone.
#include <string>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/executor.hpp"

using namespace aisp;

namespace trace = sim::trace;

namespace {

double now() { return sim::Executor::get().host_time(); }

}  // namespace

AISP_API void aispTraceStart();
AISP_API void aispTraceStart() { trace::start(now()); }

AISP_API void aispTraceStop();
AISP_API void aispTraceStop() { trace::stop(); }

// Valid until the thread asks again.
AISP_API const char* aispTraceRead();
AISP_API const char* aispTraceRead() {
  static thread_local std::string text;
  text = trace::read();
  return text.c_str();
}

AISP_API void aispTracePush(const char* name);
AISP_API void aispTracePush(const char* name) { trace::push_range(name, now()); }

AISP_API void aispTracePop();
AISP_API void aispTracePop() { trace::pop_range(now()); }

AISP_API void aispTraceMark(const char* text);
AISP_API void aispTraceMark(const char* text) { trace::mark(text, now()); }
