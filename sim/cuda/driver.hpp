// How a call of the driver is written: thin, on the runtime's call that does the same, or on
// sim/runtime where there is none.
//   CUresult cuThing(...) { return in_context([&] { return cudaThing(...); }); }
// Handles of streams, events, graphs, pools, kernels and libraries are the runtime's.
#pragma once

#include <type_traits>
#include <utility>

#include "sim/cuda/cuda.hpp"
#include "sim/runtime/state/context.hpp"
#include "sim/runtime/state/last_error.hpp"

namespace aisp::sim::driver {

// The driver has most of the runtime's codes, under the same numbers.
CUresult result_of(cudaError_t error);

struct DriverError {
  CUresult result;
};
inline void demand(bool holds, CUresult result = CUDA_ERROR_INVALID_VALUE) {
  if (!holds) throw DriverError{result};
}
inline void demand(cudaError_t error) { demand(error == cudaSuccess, result_of(error)); }

// Runs a body that returns nothing, a CUresult or the runtime's error. What the runtime's calls in
// it leave as the thread's last error is undone: that is the runtime's alone.
template <class Body>
CUresult guarded(Body&& body) {
  const InsideDriver scope;
  const cudaError_t last = last_error();
  CUresult result = CUDA_SUCCESS;
  try {
    using Answer = std::invoke_result_t<Body>;
    if constexpr (std::is_void_v<Answer>)
      body();
    else if constexpr (std::is_same_v<Answer, CUresult>)
      result = body();
    else
      result = result_of(body());
  } catch (const DriverError& error) {
    result = error.result;
  } catch (...) {
    result = result_of(error_of_exception());
  }
  set_last_error(last);
  return result;
}

// After cuInit, without a context.
template <class Body>
CUresult initialised(Body&& body) {
  if (!driver_is_initialised()) return CUDA_ERROR_NOT_INITIALIZED;
  return guarded(std::forward<Body>(body));
}

// In the calling thread's current context.
template <class Body>
CUresult in_context(Body&& body) {
  return initialised([&] {
    const Context* context = current_context();
    demand(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    demand(context->alive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    demand(Runtime::get().sticky());
    return body();
  });
}

inline void demand_device(CUdevice device) {
  demand(device >= 0 && device < Runtime::get().model.devices, CUDA_ERROR_INVALID_DEVICE);
}

inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline CUdeviceptr address_of(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

// The same structure under the runtime's name: both headers describe one layout.
template <class To, class From>
To* same(From* from) {
  static_assert(sizeof(To) == sizeof(From));
  return reinterpret_cast<To*>(from);
}

}  // namespace aisp::sim::driver
