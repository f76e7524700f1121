// NVML, loaded at first use: the library belongs to the driver and may be missing. Only the calls
// that the lab needs are declared, from the public reference of the C interface.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lab/measure/throttle.hpp"

namespace aisp::lab {

// nvmlFieldValue_t.
struct NvmlField {
  unsigned id = 0, scope = 0;
  long long timestamp = 0, latency = 0;
  int value_type = 0, error = 0;
  union {
    double real;
    unsigned number;
    unsigned long long wide;
  } value{};
};

// The C functions by what they do. Every return value but 0 is an error; tests fill in their own.
struct NvmlCalls {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*driver_version)(char* text, unsigned length) = nullptr;
  int (*handle_by_uuid)(const char* uuid, void** device) = nullptr;
  int (*clock)(void* device, int kind, unsigned* mhz) = nullptr;
  int (*max_clock)(void* device, int kind, unsigned* mhz) = nullptr;
  int (*power)(void* device, unsigned* milliwatts) = nullptr;  // over the last second
  int (*fields)(void* device, int count, NvmlField* fields) = nullptr;
  int (*power_limit)(void* device, unsigned* milliwatts) = nullptr;
  int (*temperature)(void* device, int sensor, unsigned* celsius) = nullptr;
  int (*reasons)(void* device, unsigned long long* bits) = nullptr;
};

// What does not change from sample to sample; `aisp doctor` shows it.
struct GpuLimits {
  std::string driver;  // "580.65.06"; "" when NVML does not say
  std::optional<double> max_sm_mhz, max_mem_mhz, power_limit_watts;
};

class NvmlGauge : public Gauge {
 public:
  NvmlGauge(const NvmlCalls& calls, void* device);
  ~NvmlGauge() override;
  NvmlGauge(const NvmlGauge&) = delete;
  NvmlGauge& operator=(const NvmlGauge&) = delete;

  // A value that the device does not report stays empty.
  Reading read() override;
  GpuLimits limits() const;

 private:
  NvmlCalls calls_;
  void* device_;
};

// A gauge, or one line that says why there is none. Neither is an error: timing goes on without.
struct NvmlOpened {
  std::unique_ptr<NvmlGauge> gauge;
  std::string problem;
};

// `uuid` as NVML writes it: "GPU-12345678-…".
NvmlOpened open_nvml(const std::string& uuid, const std::string& library = "libnvidia-ml.so.1");
NvmlOpened open_nvml(const std::string& uuid, const NvmlCalls& calls);

}  // namespace aisp::lab
