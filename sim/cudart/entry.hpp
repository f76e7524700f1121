// How an entry of the library is written: thin, with what is asked for done in sim/runtime.
//   cudaError_t cudaThing(...) { return api([&](Runtime& runtime) { ...; return cudaSuccess; }); }
#pragma once

#include "sim/runtime/state/context.hpp"
#include "sim/runtime/state/last_error.hpp"
#include "sim/runtime/state/runtime.hpp"

// For entries that the CUDA headers do not declare.
#define AISP_API extern "C" [[gnu::visibility("default")]]

namespace aisp::sim {

// Runs the body of an API function that works on a lost device too (properties, versions).
template <class Body>
cudaError_t api_always(Body&& body) {
  try {
    note_runtime_call();
    return record_error(body(Runtime::get()));
  } catch (...) {
    return record_error(error_of_exception());
  }
}

// Runs the body of an API function that touches the device: not at all when the device is lost.
template <class Body>
cudaError_t api(Body&& body) {
  try {
    Runtime& runtime = Runtime::get();
    enter_runtime();
    if (const cudaError_t lost = runtime.sticky(); lost != cudaSuccess) return record_error(lost);
    return record_error(body(runtime));
  } catch (...) {
    return record_error(error_of_exception());
  }
}

// The same with Runtime::mutex held; the body returns nothing and throws ApiError.
template <class Body>
cudaError_t locked_api(Body&& body) {
  return api([&](Runtime& runtime) {
    const std::lock_guard lock(runtime.mutex);
    body();
    return cudaSuccess;
  });
}

// cudaErrorNotReady and the like: returned to the caller, but never the last error.
template <class Body>
cudaError_t api_query(Body&& body) {
  try {
    Runtime& runtime = Runtime::get();
    enter_runtime();
    if (const cudaError_t lost = runtime.sticky(); lost != cudaSuccess) return record_error(lost);
    const cudaError_t error = body(runtime);
    return error == cudaErrorNotReady ? error : record_error(error);
  } catch (...) {
    return record_error(error_of_exception());
  }
}

}  // namespace aisp::sim
