// Tasks that move and set memory, and their simulated time.
#include "sim/cudart/task.hpp"

#include <cstring>
#include <utility>

#include "sim/cudart/hazards.hpp"
#include "sim/cudart/hazards_guard.hpp"
#include "sim/cudart/memory_pool.hpp"
#include "sim/cudart/runtime.hpp"

namespace sim {
namespace {

constexpr double copy_latency = 1500;  // nanoseconds charged for every copy, fill and host call

// GB/s are bytes per nanosecond. A copy on the device reads and writes its memory; one between
// devices of which neither has access to the other goes through the host, piece by piece.
double rate_of(const CopyCall& call) {
  const Runtime& runtime = Runtime::get();
  const auto end = [&](const void* pointer) {
    return runtime.memory.find(reinterpret_cast<std::uint64_t>(pointer));
  };
  const auto on_host = [](const auto& found) {
    return !found || found->kind == MemoryKind::pinned;
  };
  const auto to = end(call.to), from = end(call.from);
  const bool through_host = on_host(to) || on_host(from) ||
                            (!runtime.memory.reaches(to->device, from->device) &&
                             !runtime.memory.reaches(from->device, to->device));
  if (through_host) return runtime.model.pcie_gb_per_s;
  return to->device == from->device ? runtime.model.copy_gb_per_s / 2 : runtime.model.peer_gb_per_s;
}

double copy_time(const CopyCall& call) {
  return copy_latency + static_cast<double>(call.bytes()) / rate_of(call);
}

void move_bytes(void* to, const void* from, std::size_t bytes) {
  if (Hazards::get() != nullptr)
    hazards::Guards::get().copy(to, from, bytes);
  else
    std::memmove(to, from, bytes);
}

void copy(const CopyCall& call) {
  auto* to = static_cast<std::byte*>(call.to);
  if (call.staged) {
    move_bytes(to, call.staged->data(), call.staged->size());
    return;
  }
  const auto* from = static_cast<const std::byte*>(call.from);
  for (std::size_t plane = 0; plane < call.depth; ++plane)
    for (std::size_t row = 0; row < call.height; ++row)
      move_bytes(to + plane * call.to_plane + row * call.to_pitch,
                 from + plane * call.from_plane + row * call.from_pitch, call.width);
}

void fill(const FillCall& call) {
  auto* to = static_cast<std::byte*>(call.to);
  for (std::size_t plane = 0; plane < call.depth; ++plane)
    for (std::size_t row = 0; row < call.height; ++row) {
      std::byte* at = to + plane * call.plane + row * call.pitch;
      if (call.element == 1) {
        std::memset(at, static_cast<int>(call.value), call.width);
      } else {
        for (std::size_t i = 0; i < call.width; ++i)
          std::memcpy(at + i * call.element, &call.value, call.element);
      }
    }
}

template <class Call, class Body>
Task make(Call call, Body body) {
  Task task;
  task.run = [call, body](double) -> TaskResult {
    const cudaError_t lost = Runtime::get().sticky();
    return lost != cudaSuccess ? TaskResult{lost, 0} : TaskResult{cudaSuccess, body(call)};
  };
  task.what = std::move(call);
  return task;
}

}  // namespace

Task make_task(CopyCall call) {
  return make(std::move(call), [](const CopyCall& self) {
    copy(self);
    return copy_time(self);
  });
}

Task make_task(FillCall call) {
  return make(call, [](const FillCall& self) {
    fill(self);
    return copy_latency + static_cast<double>(self.bytes()) / Runtime::get().model.copy_gb_per_s;
  });
}

Task make_task(HostCall call) {
  return make(call, [](const HostCall& self) {
    self.function(self.data);
    return copy_latency;
  });
}

Task make_task(AllocateCall call) {
  return make(call, [](const AllocateCall&) { return 0.0; });
}

Task make_task(ReleaseCall call) {
  return make(call, [](const ReleaseCall& self) {
    if (Hazards* hazards = Hazards::get()) {
      // Whoever touches it from here on is to be found, not stopped.
      retire_in_pool(self.memory);
      hazards->retire();
    } else {
      release_to_pool(self.memory);
    }
    return 0.0;
  });
}

}  // namespace sim
