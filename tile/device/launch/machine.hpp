// What depends on the device that runs: read from it once, by whoever needs it. What depends on the
// architecture alone is in tile/arch/limits.hpp.
#pragma once

#include <map>
#include <mutex>

#include "tile/arch/limits.hpp"
#include "tile/device/launch/check_cuda.hpp"

namespace aisp::tile::device {

// Without arguments: an H200.
struct Machine {
  int multiprocessors = arch::limits_of(90).multiprocessors;
  int architecture = 90;  // 10 * major + minor
  // Bytes that a launch may ask for.
  int shared_per_block = arch::limits_of(architecture).shared_per_block;

  // Of compute capability 9.x, which alone has wgmma, and of 10.x.
  constexpr bool hopper() const { return architecture / 10 == 9; }
  constexpr bool blackwell() const { return architecture / 10 == 10; }
};

inline Machine read_machine(int device) {
  const auto read = [device](cudaDeviceAttr which, const char* what) {
    int value = 0;
    check_cuda(cudaDeviceGetAttribute(&value, which, device), what);
    return value;
  };
  return {read(cudaDevAttrMultiProcessorCount, "number of multiprocessors"),
          10 * read(cudaDevAttrComputeCapabilityMajor, "compute capability") +
              read(cudaDevAttrComputeCapabilityMinor, "compute capability"),
          read(cudaDevAttrMaxSharedMemoryPerBlockOptin, "shared memory of a block")};
}

// A device is asked once: plans are made with every call that repeats none.
inline Machine machine_of(int device) {
  static auto* const guard = new std::mutex;  // calls may come from static objects' destructors
  static auto* const known = new std::map<int, Machine>;
  const std::lock_guard lock(*guard);
  const auto found = known->find(device);
  if (found != known->end()) return found->second;
  return known->emplace(device, read_machine(device)).first->second;
}

inline int current_device() {
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  return device;
}

inline Machine current_machine() { return machine_of(current_device()); }

}  // namespace aisp::tile::device
