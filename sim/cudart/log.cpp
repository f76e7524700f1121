// What the simulator says on standard error, for programs that collect the runtime's messages; and
// notifications, of which there are none: no device has a budget that a process can exceed.
#include <cstring>
#include <fstream>
#include <set>
#include <string>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/state/message_log.hpp"

using namespace aisp;

using sim::api_always;
using sim::require;
using sim::Runtime;

namespace {

std::mutex notification_mutex;
std::set<const void*>& notifications() {
  static auto* const all = new std::set<const void*>;
  return *all;
}

std::string lines_from(cudaLogIterator* iterator) {
  const sim::LoggedMessages notes = sim::messages_since(iterator != nullptr ? *iterator : 0);
  std::string text;
  for (const std::string& line : notes.lines) text += line + "\n";
  if (iterator != nullptr) *iterator = static_cast<cudaLogIterator>(notes.next);
  return text;
}

}  // namespace

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callback, void* data,
                                     cudaLogsCallbackHandle* handle) {
  return api_always([&](Runtime&) {
    require(callback != nullptr && handle != nullptr);
    const std::uint64_t number = sim::listen_to_messages([callback, data](std::string line) {
      callback(data, cudaLogLevelError, line.data(), line.size());
    });
    *handle = reinterpret_cast<cudaLogsCallbackHandle>(number);
    return cudaSuccess;
  });
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle) {
  return api_always([&](Runtime&) {
    require(sim::stop_listening(reinterpret_cast<std::uint64_t>(handle)));
    return cudaSuccess;
  });
}

cudaError_t cudaLogsCurrent(cudaLogIterator* iterator, unsigned flags) {
  return api_always([&](Runtime&) {
    require(iterator != nullptr && flags == 0);
    *iterator = static_cast<cudaLogIterator>(sim::messages_since(0).next);
    return cudaSuccess;
  });
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator* iterator, const char* path, unsigned flags) {
  return api_always([&](Runtime&) {
    require(path != nullptr && flags == 0);
    std::ofstream file(path);
    require(file.is_open());
    file << lines_from(iterator);
    return cudaSuccess;
  });
}

// Of what does not fit, the newest lines are kept.
cudaError_t cudaLogsDumpToMemory(cudaLogIterator* iterator, char* buffer, size_t* bytes,
                                 unsigned flags) {
  return api_always([&](Runtime&) {
    require(buffer != nullptr && bytes != nullptr && *bytes != 0 && flags == 0);
    std::string text = lines_from(iterator);
    const bool any = !text.empty();
    while (text.size() >= *bytes && !text.empty()) text.erase(0, text.find('\n') + 1);
    std::memcpy(buffer, text.c_str(), text.size() + 1);
    *bytes = text.size();
    require(!any || !text.empty());
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callback, void*,
                                                cudaAsyncCallbackHandle_t* handle) {
  return api_always([&](Runtime&) {
    sim::require_ordinal(device);
    require(callback != nullptr && handle != nullptr);
    const std::lock_guard lock(notification_mutex);
    const void* entry = *notifications().insert(new char).first;
    *handle = static_cast<cudaAsyncCallbackHandle_t>(const_cast<void*>(entry));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceUnregisterAsyncNotification(int device, cudaAsyncCallbackHandle_t handle) {
  return api_always([&](Runtime&) {
    sim::require_ordinal(device);
    const std::lock_guard lock(notification_mutex);
    require(notifications().erase(handle) != 0);
    delete reinterpret_cast<char*>(handle);
    return cudaSuccess;
  });
}
