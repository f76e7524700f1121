// Host memory that the device can copy from by itself, aligned to a page.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lab/case/rung.hpp"
#include "lab/judge/poison.hpp"

namespace aisp::ch10 {

class PinnedMemory {
 public:
  explicit PinnedMemory(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    // Direct reads want whole pages.
    const std::size_t whole = (bytes_ + page - 1) / page * page + page;
    lab::check_cuda(cudaHostAlloc(&allocated_, whole, cudaHostAllocDefault), "cudaHostAlloc");
    const auto address = reinterpret_cast<std::uintptr_t>(allocated_);
    aligned_ = static_cast<char*>(allocated_) + (page - address % page) % page;
  }
  PinnedMemory(const PinnedMemory&) = delete;
  PinnedMemory& operator=(const PinnedMemory&) = delete;
  ~PinnedMemory() { cudaFreeHost(allocated_); }
  char* get() const { return aligned_; }

  // Fills it before every checked run: a copy that does not wait for who fills it finds no right
  // values from an earlier run.
  void poison_before_checks(lab::Setup& setup) const {
    setup.before_each_check([this](const lab::Launch& launch) {
      // Copies of an earlier run may still read it.
      lab::check_cuda(cudaStreamSynchronize(launch.stream), "cudaStreamSynchronize");
      std::memset(aligned_, lab::poison_byte, bytes_);
    });
  }

 private:
  static constexpr std::size_t page = 4096;

  std::size_t bytes_;
  void* allocated_ = nullptr;
  char* aligned_ = nullptr;
};

}  // namespace aisp::ch10
