// The process-wide state of the runtime: the devices, their memory, what they are lost to, the
// clock and what the user is told.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "sim/machine/device_model.hpp"
#include "sim/machine/memory.hpp"
#include "sim/machine/warp.hpp"
#include "sim/runtime/state/error.hpp"

namespace aisp::sim {

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
  static bool was_started();

  const DeviceModel model;  // all devices are alike
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
  // As note(), for take_note() alone.
  void keep_note(const std::string& text);

 private:
  Runtime();
  std::atomic<cudaError_t> sticky_[most_devices] = {};
  std::atomic<double> now_{0};
  std::mutex notes_mutex_;
  std::set<std::string> notes_;
};

// The newest note, once; "" when there is none since the last call. Does not start the runtime.
std::string take_note();

// Throws ApiError{cudaErrorInvalidDevice} where there is no device of that number.
void require_ordinal(int device);

cudaError_t error_of_exception();  // of the exception being handled

}  // namespace aisp::sim
