#include "lab/device/clock_probe.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "lab/case/rung.hpp"
#include "lab/measure/statistics.hpp"

namespace aisp::embedded {
extern const std::string_view clock_probe_ptx;
}

namespace aisp::lab {
namespace {

// Multiprocessors are numbered with gaps on cards that have some of them switched off.
constexpr int spare_slots = 2;

}  // namespace

std::optional<double> clock_between(const std::vector<ClockReading>& before,
                                    const std::vector<ClockReading>& after) {
  std::vector<double> clocks;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i].nanoseconds == 0 || after[i].nanoseconds <= before[i].nanoseconds) continue;
    clocks.push_back(1e3 * static_cast<double>(after[i].cycles - before[i].cycles) /
                     static_cast<double>(after[i].nanoseconds - before[i].nanoseconds));
  }
  if (clocks.empty()) return std::nullopt;
  return median(clocks);
}

ClockProbe::ClockProbe(int multiprocessors) : slots_(spare_slots * multiprocessors) {}

void ClockProbe::load() {
  const std::string text(embedded::clock_probe_ptx);
  check_cuda(cudaLibraryLoadData(&library_, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
             "clock probe");
  check_cuda(cudaLibraryGetKernel(&kernel_, library_, "aisp_clock_probe"), "clock probe");
  check_cuda(
      cudaMallocHost(reinterpret_cast<void**>(&readings_), 2 * slots_ * sizeof(ClockReading)),
      "clock probe");
}

ClockProbe::~ClockProbe() {
  cudaFreeHost(readings_);
  if (library_ != nullptr) cudaLibraryUnload(library_);
}

void ClockProbe::launch(cudaStream_t stream, int which) {
  ClockReading* into = readings_ + which * slots_;
  void* arguments[] = {&into};
  // Twice as many blocks as multiprocessors: each gets one, also while others still run.
  check_cuda(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), dim3(slots_), dim3(1),
                              arguments, 0, stream),
             "clock probe");
}

void ClockProbe::before(cudaStream_t stream) {
  std::memset(static_cast<void*>(readings_), 0, 2 * slots_ * sizeof(ClockReading));
  launch(stream, 0);
}

void ClockProbe::after(cudaStream_t stream) { launch(stream, 1); }

std::optional<double> ClockProbe::megahertz() const {
  return clock_between({readings_, readings_ + slots_},
                       {readings_ + slots_, readings_ + 2 * slots_});
}

std::unique_ptr<ClockProbe> open_clock_probe(int multiprocessors, std::string& problem) {
  try {
    auto probe = std::make_unique<ClockProbe>(multiprocessors);
    probe->load();
    return probe;
  } catch (const CudaError& error) {
    cudaGetLastError();
    problem = error.what();
    return nullptr;
  }
}

}  // namespace aisp::lab
