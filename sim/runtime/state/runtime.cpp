#include "sim/runtime/state/runtime.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>

#include "sim/runtime/state/message_log.hpp"
#include "sim/runtime/state/settings.hpp"
#include "sim/runtime/state/sync_file.hpp"

namespace aisp::sim {
namespace {

thread_local int current = 0;
std::atomic<bool> started{false};

struct LatestNote {
  std::mutex mutex;
  std::string text;
};

LatestNote& latest_note() {
  static auto* const note = new LatestNote;
  return *note;
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
      memory(capacity(model), model.devices) {
  sync_file();  // what is wrong with it is said before anything runs
}

int current_device() { return current; }
void set_current_device(int device) { current = device; }

void require_ordinal(int device) {
  require(device >= 0 && device < Runtime::get().model.devices, cudaErrorInvalidDevice);
}

Runtime& Runtime::get() {
  static Runtime* const runtime = [] {
    started = true;
    return new Runtime;
  }();
  return *runtime;
}

bool Runtime::was_started() { return started; }

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
  {
    const std::lock_guard lock(notes_mutex_);
    std::fprintf(stderr, "aisp sim: %s\n", text.c_str());
    keep_note(text);
  }
  log_message(text);
}

void Runtime::keep_note(const std::string& text) {
  LatestNote& latest = latest_note();
  const std::lock_guard lock(latest.mutex);
  latest.text = text;
}

void Runtime::note_once(const std::string& text) {
  {
    const std::lock_guard lock(notes_mutex_);
    if (!notes_.insert(text).second) return;
  }
  note(text);
}

std::string take_note() {
  LatestNote& latest = latest_note();
  const std::lock_guard lock(latest.mutex);
  return std::exchange(latest.text, {});
}

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

}  // namespace aisp::sim
