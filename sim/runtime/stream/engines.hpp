// What works at the same simulated time on the devices, and until when each part is taken.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/launch/multiprocessors.hpp"
#include "sim/machine/device_part.hpp"

namespace aisp::sim {

// On every device: kernels, a copy in each direction between host and device, one from device to
// device.
enum class Engine : std::uint8_t { none, compute, to_device, to_host, peer, count };

// What a job takes of them.
struct EngineUse {
  Engine engine = Engine::none;
  int device = 0;           // whose stream the job is in, whose engine it takes
  int ends[2] = {-1, -1};   // of Engine::peer: the devices, both of which it takes it of
  int multiprocessors = 0;  // of Engine::compute: so many, after the latency
  std::shared_ptr<const DevicePart> part;  // ... of this part of the device; null: all of it
  double latency = 0;                      // nanoseconds
  bool kernel = false;
};

class Engines {
 public:
  Engines();
  // When all of it is free, not before `ready`; nanoseconds.
  double free_at(const EngineUse& use, double ready) const;
  void take(const EngineUse& use, double start, double end);

 private:
  double taken_until_[most_devices][static_cast<int>(Engine::count)] = {};
  std::vector<Multiprocessors> multiprocessors_;  // of each device
};

}  // namespace aisp::sim
