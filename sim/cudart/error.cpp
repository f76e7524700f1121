// Error queries: the calling thread's last error, names and texts.
#include <string>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/launch/unread_launches.hpp"

using namespace aisp;

namespace {

struct ErrorName {
  const char *name, *text;
};

ErrorName name_of(cudaError_t error) {
  switch (error) {
#define AISP_ERROR(enumerator, text) \
  case enumerator:                   \
    return {#enumerator, text};
#include "sim/cudart/error_names.inc"
#undef AISP_ERROR
    default:
      return {"unrecognized error code", "unrecognized error code"};
  }
}

}  // namespace

extern "C" {

cudaError_t cudaGetLastError() {
  sim::launch_errors_read();
  return sim::take_last_error();
}
cudaError_t cudaPeekAtLastError() {
  sim::launch_errors_read();
  return sim::last_error();
}
const char* cudaGetErrorName(cudaError_t error) { return name_of(error).name; }
const char* cudaGetErrorString(cudaError_t error) { return name_of(error).text; }
}

// A program asks for this symbol to learn that its device is simulated.
AISP_API int aispSimulated();
AISP_API int aispSimulated() { return 1; }

// The newest line on standard error, for a program that explains an error to its user; "" when
// there is none since the last call. Valid until the thread asks again.
AISP_API const char* aispTakeNote();
AISP_API const char* aispTakeNote() {
  static thread_local std::string text;
  text = sim::take_note();
  return text.c_str();
}
