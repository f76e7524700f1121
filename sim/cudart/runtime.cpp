#include "sim/cudart/runtime.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "sim/exec/host_level.hpp"
#include "sim/watch/session.hpp"

namespace sim {
namespace {

thread_local cudaError_t last = cudaSuccess;
thread_local bool per_thread_default = false;
thread_local int current = 0;

struct LatestNote {
  std::mutex mutex;
  std::string text;
};

LatestNote& latest_note() {
  static auto* const note = new LatestNote;
  return *note;
}

// A setting that cannot be understood ends the program: what would follow is not what was asked.
[[noreturn]] void refuse_setting(const std::string& message) {
  std::fprintf(stderr, "aisp sim: %s\n", message.c_str());
  std::_Exit(static_cast<int>(base::Exit::usage));
}

std::string variable(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

std::int64_t number(const char* name, const char* otherwise, std::int64_t least) {
  const std::string text = variable(name, otherwise);
  const auto value = base::parse_integer(text);
  if (!value || *value < least)
    refuse_setting(base::say(name, "=", text, " is not an integer of at least ", least));
  return *value;
}

bool flag(const char* name, const char* otherwise) {
  const std::string text = variable(name, otherwise);
  if (text != "0" && text != "1") refuse_setting(base::say(name, "=", text, " is neither 0 nor 1"));
  return text == "1";
}

Order order() {
  const std::string text = variable("AISP_SIM_ORDER", "earliest");
  if (text == "earliest") return Order::earliest;
  if (text == "latest") return Order::latest;
  if (text == "random") return Order::random;
  refuse_setting("AISP_SIM_ORDER=" + text + " is none of earliest, latest, random");
}

// The folder is made here: where it cannot be, nothing that is found would reach anybody.
watch::Session* hazards_session() {
  const bool uninitialised = flag("AISP_SIM_HAZARDS_UNINITIALISED", "0");
  const bool advice = flag("AISP_SIM_HAZARDS_ADVICE", "0");
  const std::string folder = variable("AISP_SIM_HAZARDS", "");
  if (folder.empty()) return nullptr;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    refuse_setting(base::say("AISP_SIM_HAZARDS=", folder, " is no folder: ", error.message()));
  auto* const session = new watch::Session(folder);  // never destroyed, as the runtime itself
  session->options.uninitialised = uninitialised;
  session->options.advice = advice;
  return session;
}

// Handlers for this processor, or those that AISP_SIM_HOST asks for.
void choose_handlers() {
  try {
    opcode_table();
  } catch (const base::Refusal& refusal) {
    refuse_setting(refusal.what());
  }
}

Settings settings_from_environment() {
  choose_handlers();
  number("AISP_SIM_ADDRESS_GIB", "8192", 1);
  Settings settings;
  settings.order = order();
  settings.seed = static_cast<std::uint64_t>(number("AISP_SIM_SEED", "1", 0));
  settings.workers = static_cast<int>(number("AISP_SIM_THREADS", "0", 0));
  settings.check_memory = flag("AISP_SIM_CHECK", "1");
  settings.detailed = flag("AISP_SIM_STATS", "0");
  settings.hazards = hazards_session();
  return settings;
}

DeviceModel model_from_environment() {
  try {
    return device_model(variable("AISP_SIM_DEVICE", "h200"));
  } catch (const base::Refusal& refusal) {
    refuse_setting(base::say("AISP_SIM_DEVICE: ", refusal.what()));
  }
}

// Together no more than this machine has, less an eighth for everything else: a program that sizes
// its buffers by what is free must not bring the machine down.
std::int64_t capacity(const DeviceModel& model) {
  const auto host = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
  return std::min(model.memory_bytes, (host - host / 8) / model.devices);
}

}  // namespace

Runtime::Runtime()
    : model(model_from_environment()),
      settings(settings_from_environment()),
      stats(settings.detailed),
      memory(capacity(model), model.devices) {}

int current_device() { return current; }
void set_current_device(int device) { current = device; }

void require_ordinal(int device) {
  require(device >= 0 && device < Runtime::get().model.devices, cudaErrorInvalidDevice);
}

Runtime& Runtime::get() {
  static Runtime* const runtime = new Runtime;
  return *runtime;
}

void Runtime::lose_device(cudaError_t error, int device) {
  cudaError_t none = cudaSuccess;
  sticky_[device].compare_exchange_strong(none, error);
}

void Runtime::reset_device() {
  if (sticky() != cudaSuccess) sticky_[current].store(cudaErrorDevicesUnavailable);
}

void Runtime::advance_to(double nanoseconds) {
  double before = now_.load();
  while (before < nanoseconds && !now_.compare_exchange_weak(before, nanoseconds)) {
  }
}

void Runtime::note(const std::string& text) {
  const std::lock_guard lock(notes_mutex_);
  std::fprintf(stderr, "aisp sim: %s\n", text.c_str());
  LatestNote& latest = latest_note();
  const std::lock_guard latest_lock(latest.mutex);
  latest.text = text;
}

void Runtime::note_once(const std::string& text) {
  {
    const std::lock_guard lock(notes_mutex_);
    if (!notes_.insert(text).second) return;
  }
  note(text);
}

cudaError_t record_error(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}
cudaError_t last_error() { return last; }
cudaError_t take_last_error() { return std::exchange(last, cudaSuccess); }

PerThreadDefault::PerThreadDefault() : before_(std::exchange(per_thread_default, true)) {}
PerThreadDefault::~PerThreadDefault() { per_thread_default = before_; }
bool PerThreadDefault::active() { return per_thread_default; }

cudaError_t error_of_exception() {
  try {
    throw;
  } catch (const ApiError& error) {
    return error.error;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    Runtime::get().note(error.what());
    return cudaErrorUnknown;
  }
}

}  // namespace sim

// The newest line on standard error, for a program that explains an error to its user; "" when
// there is none since the last call. Valid until the thread asks again.
AISP_API const char* aispTakeNote();
AISP_API const char* aispTakeNote() {
  static thread_local std::string text;
  sim::LatestNote& latest = sim::latest_note();
  const std::lock_guard lock(latest.mutex);
  text = std::exchange(latest.text, {});
  return text.c_str();
}
