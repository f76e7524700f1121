#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/streams.hpp"

using namespace aisp;

#define AISP_PER_THREAD(entry, suffix, parameters, arguments)                        \
  extern "C" [[gnu::visibility("default")]] cudaError_t entry##_##suffix parameters; \
  cudaError_t entry##_##suffix parameters {                                          \
    const sim::PerThreadDefault scope;                                               \
    return entry arguments;                                                          \
  }
// Some of them the headers call deprecated: programs that use them are to run all the same.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "sim/cudart/per_thread.inc"
#pragma GCC diagnostic pop
#undef AISP_PER_THREAD
