// Memory that every rank has alike and that kernels of all ranks reach: what one keeps at an
// offset, the others find at the same offset of its part (comm/one_sided.cuh).
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "comm/cuda.hpp"

namespace aisp::comm {

class SymmetricMemory {
 public:
  // `bytes` for each rank, rank r on devices[r]. Refuses (Exit::environment) devices that do not
  // reach each other's memory, and (Exit::usage) an empty list.
  SymmetricMemory(const std::vector<int>& devices, std::size_t bytes);
  // Somebody else's, who outlives this: where each rank's part is for this process.
  SymmetricMemory(std::vector<char*> parts, std::string description)
      : parts_(std::move(parts)), description_(std::move(description)) {}

  int ranks() const { return static_cast<int>(parts_.size()); }
  template <class T>
  T* at(int rank, std::size_t offset_bytes) const {
    return reinterpret_cast<T*>(parts_.at(static_cast<std::size_t>(rank)) + offset_bytes);
  }
  // For a reader: "4 ranks on 2 devices".
  const std::string& description() const { return description_; }

 private:
  std::vector<Memory> own_;
  std::vector<char*> parts_;
  std::string description_;
};

// Blocks of a kernel that each rank may launch when the kernels of all ranks wait for each other:
// those of all ranks of a device have to be on it at the same time, or the ones that wait would
// keep out the ones they wait for. Every rank gets an equal share of its device's multiprocessors.
// The kernel is loaded on all devices by that, so that no launch waits for a device that waits.
// Refuses (Exit::environment) more ranks on a device than it has multiprocessors, and a kernel that
// does not fit on one. What other processes do on the device is not known here.
int co_resident_blocks(const std::vector<int>& devices, const void* kernel, int threads,
                       std::size_t dynamic_shared);

}  // namespace aisp::comm
