// The clock that was really there: a tiny kernel before and after a sample notes, on every
// multiprocessor, the cycle counter and the global timer. NVML's clock is that of the moment at
// which the host asks, when a short kernel is long over.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace aisp::lab {

// What one multiprocessor noted; zeros where it ran no block.
struct ClockReading {
  unsigned long long cycles = 0, nanoseconds = 0;
};

// Median over the multiprocessors that noted something both times, in MHz. Nothing where none did,
// or where no time has passed between the two.
std::optional<double> clock_between(const std::vector<ClockReading>& before,
                                    const std::vector<ClockReading>& after);

class ClockProbe {
 public:
  explicit ClockProbe(int multiprocessors);
  ClockProbe(const ClockProbe&) = delete;
  ClockProbe& operator=(const ClockProbe&) = delete;
  ~ClockProbe();

  void load();  // first; throws CudaError
  // Around the work, on its stream; neither waits.
  void before(cudaStream_t stream);
  void after(cudaStream_t stream);
  // Once the stream has come to its end.
  std::optional<double> megahertz() const;

 private:
  void launch(cudaStream_t stream, int which);

  int slots_;
  cudaLibrary_t library_{};
  cudaKernel_t kernel_{};
  ClockReading* readings_ = nullptr;  // pinned: before, then after
};

// Nothing, and why, where the driver does not take the probe.
std::unique_ptr<ClockProbe> open_clock_probe(int multiprocessors, std::string& problem);

}  // namespace aisp::lab
