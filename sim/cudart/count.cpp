// What kernels did, for lab/run: functions of the simulator's library alone.
#include <string>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/launch/counting.hpp"

using namespace aisp;

// The devices must be idle at each of these calls. 0 where nothing can be counted because the
// checker looks on.
AISP_API int aispCountStart();
AISP_API int aispCountStart() { return sim::start_counting() ? 1 : 0; }

AISP_API void aispCountStop();
AISP_API void aispCountStop() { sim::stop_counting(); }

// Valid until the thread asks again.
AISP_API const char* aispCountRead();
AISP_API const char* aispCountRead() {
  static thread_local std::string text;
  text = sim::read_counts();
  return text.c_str();
}
