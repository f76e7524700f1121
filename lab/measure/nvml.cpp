#include "lab/measure/nvml.hpp"

#include <array>

#include "base/refuse.hpp"
#include "base/shared_library.hpp"

namespace aisp::lab {
namespace {

constexpr int sm_clock = 1, memory_clock = 2;  // nvmlClockType_t
constexpr int gpu_sensor = 0;                  // nvmlTemperatureSensors_t
constexpr unsigned instant_power = 186;        // NVML_FI_DEV_POWER_INSTANT
constexpr double milli = 1e-3;

// The name of the first function that is missing, "" when all are there. Only those without which
// there is nothing to read are required.
std::string bind(const base::SharedLibrary& library, NvmlCalls& calls) {
  if (!library.find(calls.init, "nvmlInit_v2")) return "nvmlInit_v2";
  if (!library.find(calls.shutdown, "nvmlShutdown")) return "nvmlShutdown";
  if (!library.find(calls.handle_by_uuid, "nvmlDeviceGetHandleByUUID"))
    return "nvmlDeviceGetHandleByUUID";
  library.find(calls.error_string, "nvmlErrorString");
  library.find(calls.driver_version, "nvmlSystemGetDriverVersion");
  library.find(calls.clock, "nvmlDeviceGetClockInfo");
  library.find(calls.max_clock, "nvmlDeviceGetMaxClockInfo");
  library.find(calls.power, "nvmlDeviceGetPowerUsage");
  library.find(calls.fields, "nvmlDeviceGetFieldValues");
  library.find(calls.power_limit, "nvmlDeviceGetEnforcedPowerLimit");
  library.find(calls.temperature, "nvmlDeviceGetTemperature");
  // The older name of the same call, before drivers of the 535 series.
  if (!library.find(calls.reasons, "nvmlDeviceGetCurrentClocksEventReasons"))
    library.find(calls.reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  return "";
}

template <class Call, class... Which>
std::optional<double> ask(Call call, double unit, void* device, Which... which) {
  unsigned value = 0;
  if (call == nullptr || call(device, which..., &value) != 0) return std::nullopt;
  return unit * value;
}

// Of this moment where the driver tells; else over the last second, which a burst does not fill.
std::optional<double> power_now(const NvmlCalls& calls, void* device) {
  NvmlField field{.id = instant_power};
  if (calls.fields != nullptr && calls.fields(device, 1, &field) == 0 && field.error == 0)
    return milli * field.value.number;
  return ask(calls.power, milli, device);
}

std::string words_for(const NvmlCalls& calls, int error) {
  const char* text = calls.error_string != nullptr ? calls.error_string(error) : nullptr;
  return text != nullptr ? text : base::say("error ", error);
}

}  // namespace

NvmlGauge::NvmlGauge(const NvmlCalls& calls, void* device) : calls_(calls), device_(device) {}

NvmlGauge::~NvmlGauge() {
  if (calls_.shutdown != nullptr) calls_.shutdown();
}

Reading NvmlGauge::read() {
  Reading now;
  now.sm_mhz = ask(calls_.clock, 1.0, device_, sm_clock);
  now.mem_mhz = ask(calls_.clock, 1.0, device_, memory_clock);
  now.watts = power_now(calls_, device_);
  now.celsius = ask(calls_.temperature, 1.0, device_, gpu_sensor);
  unsigned long long bits = 0;
  if (calls_.reasons != nullptr && calls_.reasons(device_, &bits) == 0) now.reasons = bits;
  return now;
}

GpuLimits NvmlGauge::limits() const {
  GpuLimits limits;
  std::array<char, 96> text{};  // NVML asks for 80 or more
  if (calls_.driver_version != nullptr &&
      calls_.driver_version(text.data(), static_cast<unsigned>(text.size())) == 0)
    limits.driver = text.data();
  limits.max_sm_mhz = ask(calls_.max_clock, 1.0, device_, sm_clock);
  limits.max_mem_mhz = ask(calls_.max_clock, 1.0, device_, memory_clock);
  limits.power_limit_watts = ask(calls_.power_limit, milli, device_);
  return limits;
}

NvmlOpened open_nvml(const std::string& uuid, const std::string& library) {
  const base::SharedLibrary loaded(library);
  if (!loaded) return {nullptr, base::say("NVML cannot be loaded: ", loaded.problem())};
  NvmlCalls calls;
  const std::string missing = bind(loaded, calls);
  if (!missing.empty())
    return {nullptr, base::say("NVML cannot be used: ", library, " has no ", missing)};
  return open_nvml(uuid, calls);
}

NvmlOpened open_nvml(const std::string& uuid, const NvmlCalls& calls) {
  if (const int error = calls.init(); error != 0)
    return {nullptr, base::say("NVML does not start: ", words_for(calls, error))};
  void* device = nullptr;
  if (const int error = calls.handle_by_uuid(uuid.c_str(), &device); error != 0) {
    calls.shutdown();
    return {nullptr, base::say("NVML does not know device ", uuid, ": ", words_for(calls, error))};
  }
  return {std::make_unique<NvmlGauge>(calls, device), ""};
}

}  // namespace aisp::lab
