// The process-wide state of the simulator's face: the devices, their memory, errors and the clock.
// API functions are written as
//   cudaError_t cudaThing(...) { return api([&](Runtime& runtime) { ...; return cudaSuccess; }); }
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "sim/cudart/api.hpp"
#include "sim/cudart/task.hpp"
#include "sim/machine/device_model.hpp"
#include "sim/machine/memory.hpp"
#include "sim/machine/warp.hpp"

namespace sim {

// Of the calling thread, as cudaSetDevice sets it. The executor's thread has the device of what it
// runs.
int current_device();
void set_current_device(int device);

// Another device is the calling thread's for a while.
class OnDevice {
 public:
  explicit OnDevice(int device) : before_(current_device()) { set_current_device(device); }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice() { set_current_device(before_); }

 private:
  int before_;
};

class Runtime {
 public:
  // Built at first use and never destroyed: programs call in from their own exit handlers.
  static Runtime& get();

  // AISP_SIM_DEVICE: "h200", "a100", "b200,sms=8,gpus=4"; h200 by default. All devices are alike.
  const DeviceModel model;
  // AISP_SIM_ORDER earliest|latest|random, AISP_SIM_SEED n, AISP_SIM_THREADS n, AISP_SIM_CHECK 0|1,
  // AISP_SIM_HAZARDS folder, AISP_SIM_HAZARDS_UNINITIALISED 0|1, AISP_SIM_HAZARDS_ADVICE 0|1
  const Settings settings;
  const bool stats;  // AISP_SIM_STATS 1: per-kernel table on stderr at exit
  Memory memory;

  // One API call, or one task, at a time where it changes what is behind these headers. Streams
  // must not hold it while they run a task.
  std::recursive_mutex mutex;

  // The first kernel fault: every later call that touches the device returns it. A reset of a lost
  // device does not bring it back: from then on it is cudaErrorDevicesUnavailable.
  cudaError_t sticky(int device = current_device()) const {
    return sticky_[device].load(std::memory_order_acquire);
  }
  void lose_device(cudaError_t error, int device = current_device());
  void reset_device();  // the current one

  // Simulated time in nanoseconds since the start; never goes back. Streams move it on as tasks
  // end, %globaltimer and events read it.
  double now() const { return now_.load(std::memory_order_acquire); }
  void advance_to(double nanoseconds);

  // Prints `text` on stderr as one "aisp sim: ..." line; `once` drops repetitions of the same text.
  void note(const std::string& text);
  void note_once(const std::string& text);

 private:
  Runtime();
  std::atomic<cudaError_t> sticky_[most_devices] = {};
  std::atomic<double> now_{0};
  std::mutex notes_mutex_;
  std::set<std::string> notes_;
};

// The calling thread's last error. Taking it clears it even when the device is lost; the next call
// that touches the device sets it again.
cudaError_t record_error(cudaError_t error);  // keeps it unless cudaSuccess; returns it
cudaError_t last_error();
cudaError_t take_last_error();

// The sim/cudart/*_ptsz and *_ptds entries: stream 0 of this thread means cudaStreamPerThread while
// one lives.
class PerThreadDefault {
 public:
  PerThreadDefault();
  PerThreadDefault(const PerThreadDefault&) = delete;
  PerThreadDefault& operator=(const PerThreadDefault&) = delete;
  ~PerThreadDefault();
  static bool active();

 private:
  bool before_;
};

// Thrown inside api() to leave with an error from some depth.
struct ApiError {
  cudaError_t error;
};
inline void require(bool holds, cudaError_t error = cudaErrorInvalidValue) {
  if (!holds) throw ApiError{error};
}
inline void require(cudaError_t error) {
  if (error != cudaSuccess) throw ApiError{error};
}

// Throws ApiError{cudaErrorInvalidDevice} where there is no device of that number.
void require_ordinal(int device);

cudaError_t error_of_exception();  // of the exception being handled

// Runs the body of an API function that works on a lost device too (properties, versions).
template <class Body>
cudaError_t api_always(Body&& body) {
  try {
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
    if (const cudaError_t lost = runtime.sticky(); lost != cudaSuccess) return record_error(lost);
    return record_error(body(runtime));
  } catch (...) {
    return record_error(error_of_exception());
  }
}

// cudaErrorNotReady and the like: returned to the caller, but never the last error.
template <class Body>
cudaError_t api_query(Body&& body) {
  try {
    Runtime& runtime = Runtime::get();
    if (const cudaError_t lost = runtime.sticky(); lost != cudaSuccess) return record_error(lost);
    const cudaError_t error = body(runtime);
    return error == cudaErrorNotReady ? error : record_error(error);
  } catch (...) {
    return record_error(error_of_exception());
  }
}

}  // namespace sim
