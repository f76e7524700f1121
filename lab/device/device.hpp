// Where rungs run: a CUDA device (a GPU, later the simulator behind the same runtime), or the host
// for targets that need no device. One timer for all rungs lives here.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "lab/case/tensor.hpp"
#include "lab/record/records.hpp"

namespace aisp::lab {

// Work that has been recorded once and can be timed many times.
class Replay {
 public:
  virtual ~Replay() = default;
  virtual void enqueue() = 0;
};

enum class Start { at_once, held };

// One timed run. Each function enqueues on stream() and returns; only `work` is between the events.
struct Sample {
  std::function<void()> first = [] {};  // before the start event, and behind the gate if it is held
  std::function<void()> work;
  std::function<void()> last = [] {};       // directly behind the end event
  std::function<void()> meanwhile = [] {};  // on the host, while the device is busy
  Start start = Start::at_once;
  double hold_ms = 0;    // a held device begins so much later still
  double linger_ms = 0;  // the host waits so long before it looks whether other streams are done
};

struct Timed {
  double ms = 0;
  std::optional<double> sm_mhz{};   // cycles per time between the events, where the device tells
  std::optional<double> host_ms{};  // what the host took to enqueue the work, or to wait in it
  // How long other streams of this process went on after the launch stream was done. On a GPU the
  // host's clock tells, with some microseconds for an idle device.
  double busy_after_ms = 0;
};

class Device {
 public:
  virtual ~Device() = default;

  virtual const DeviceRecord& info() const = 0;
  virtual cudaStream_t stream() const = 0;

  // Throws with the number of bytes asked for and free when memory runs out.
  virtual void* allocate(std::size_t bytes, Memory where = Memory::device) = 0;
  virtual void release(void* memory, Memory where = Memory::device) = 0;
  virtual std::size_t free_bytes() const = 0;

  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  virtual void fill(void* memory, int byte, std::size_t bytes) = 0;      // in stream order
  virtual void copy(void* to, const void* from, std::size_t bytes) = 0;  // likewise

  // Waits for all work and throws when any of it failed.
  virtual void synchronize() = 0;

  // The time between device events around the sample's work. With Start::held the device begins
  // only when all of it is enqueued, so that no time of the host is in it; not for work that waits
  // on the host. Returns when no stream of this process has work left.
  virtual Timed time(const Sample& sample) = 0;

  // Records the work as a graph: --timer graph replays it without launch gaps. The work may be kept
  // and run again, so what it refers to must live as long as the replay.
  virtual std::unique_ptr<Replay> record(const std::function<void()>& work) = 0;
};

std::unique_ptr<Device> open_cuda_device();
// The host as a device; its clock counts milliseconds, by default those of the steady clock (the
// lab's own tests count work instead, which no load of the machine changes).
using HostClock = std::function<double()>;
double steady_milliseconds();
std::unique_ptr<Device> open_host_device(HostClock clock = steady_milliseconds);

// Memory that goes back to its device.
class Buffer {
 public:
  Buffer(Device& device, std::size_t bytes, Memory where = Memory::device)
      : device_(&device), memory_(device.allocate(bytes, where)), bytes_(bytes), where_(where) {}
  Buffer(Buffer&& other) noexcept
      : device_(other.device_),
        memory_(std::exchange(other.memory_, nullptr)),
        bytes_(other.bytes_),
        where_(other.where_) {}
  Buffer& operator=(Buffer&&) = delete;
  ~Buffer() {
    if (memory_ != nullptr) device_->release(memory_, where_);
  }
  void* get() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Device* device_;
  void* memory_;
  std::size_t bytes_;
  Memory where_;
};

// One line that says why there is no usable CUDA device, or nothing when there is one.
std::string why_no_cuda_device();

// Of device 0, without starting to use it. Throws where there is none.
DeviceRecord cuda_device_info();

}  // namespace aisp::lab
