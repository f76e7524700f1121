// The entries of programs built for per-thread default streams, for streams, events and graphs.
#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/streams.hpp"

using namespace aisp;

#define AISP_PER_THREAD(entry, suffix, parameters, arguments)                        \
  extern "C" [[gnu::visibility("default")]] cudaError_t entry##_##suffix parameters; \
  cudaError_t entry##_##suffix parameters {                                          \
    const sim::PerThreadDefault scope;                                               \
    return entry arguments;                                                          \
  }
#include "sim/cudart/stream_per_thread.inc"
#undef AISP_PER_THREAD
