#include "lab/measure/nvml.hpp"

#include <dlfcn.h>

#include <array>
#include <utility>

#include "base/refuse.hpp"

namespace lab {
namespace {

constexpr int sm_clock = 1, memory_clock = 2;  // nvmlClockType_t
constexpr int gpu_sensor = 0;                  // nvmlTemperatureSensors_t
constexpr double milli = 1e-3;

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(library, name));
  return function != nullptr;
}

// The name of the first function that is missing, "" when all are there. Only those without which
// there is nothing to read are required.
std::string bind(void* library, NvmlCalls& calls) {
  if (!find(library, "nvmlInit_v2", calls.init)) return "nvmlInit_v2";
  if (!find(library, "nvmlShutdown", calls.shutdown)) return "nvmlShutdown";
  if (!find(library, "nvmlDeviceGetHandleByUUID", calls.handle_by_uuid))
    return "nvmlDeviceGetHandleByUUID";
  find(library, "nvmlErrorString", calls.error_string);
  find(library, "nvmlSystemGetDriverVersion", calls.driver_version);
  find(library, "nvmlDeviceGetClockInfo", calls.clock);
  find(library, "nvmlDeviceGetMaxClockInfo", calls.max_clock);
  find(library, "nvmlDeviceGetPowerUsage", calls.power);
  find(library, "nvmlDeviceGetEnforcedPowerLimit", calls.power_limit);
  find(library, "nvmlDeviceGetTemperature", calls.temperature);
  // The older name of the same call, before drivers of the 535 series.
  if (!find(library, "nvmlDeviceGetCurrentClocksEventReasons", calls.reasons))
    find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", calls.reasons);
  return "";
}

template <class Call, class... Which>
std::optional<double> ask(Call call, double unit, void* device, Which... which) {
  unsigned value = 0;
  if (call == nullptr || call(device, which..., &value) != 0) return std::nullopt;
  return unit * value;
}

std::string words_for(const NvmlCalls& calls, int error) {
  const char* text = calls.error_string != nullptr ? calls.error_string(error) : nullptr;
  return text != nullptr ? text : base::say("error ", error);
}

}  // namespace

NvmlGauge::NvmlGauge(const NvmlCalls& calls, void* device, std::shared_ptr<void> library)
    : library_(std::move(library)), calls_(calls), device_(device) {}

NvmlGauge::~NvmlGauge() {
  if (calls_.shutdown != nullptr) calls_.shutdown();
}

Reading NvmlGauge::read() {
  Reading now;
  now.sm_mhz = ask(calls_.clock, 1.0, device_, sm_clock);
  now.mem_mhz = ask(calls_.clock, 1.0, device_, memory_clock);
  now.watts = ask(calls_.power, milli, device_);
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
  const std::shared_ptr<void> loaded(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL),
                                     [](void* handle) {
                                       if (handle != nullptr) ::dlclose(handle);
                                     });
  if (loaded == nullptr) {
    const char* why = ::dlerror();
    return {nullptr, base::say("NVML cannot be loaded: ", why != nullptr ? why : library)};
  }
  NvmlCalls calls;
  const std::string missing = bind(loaded.get(), calls);
  if (!missing.empty())
    return {nullptr, base::say("NVML cannot be used: ", library, " has no ", missing)};
  return open_nvml(uuid, calls, loaded);
}

NvmlOpened open_nvml(const std::string& uuid, const NvmlCalls& calls,
                     std::shared_ptr<void> library) {
  if (const int error = calls.init(); error != 0)
    return {nullptr, base::say("NVML does not start: ", words_for(calls, error))};
  void* device = nullptr;
  if (const int error = calls.handle_by_uuid(uuid.c_str(), &device); error != 0) {
    calls.shutdown();
    return {nullptr, base::say("NVML does not know device ", uuid, ": ", words_for(calls, error))};
  }
  return {std::make_unique<NvmlGauge>(calls, device, std::move(library)), ""};
}

}  // namespace lab
