// Memory and events of other processes.
#include <cstring>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/memory/shared_memory.hpp"
#include "sim/runtime/stream/event.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::FilePlace;
using sim::require;
using sim::Runtime;

namespace {

template <class Handle>
void write_place(Handle* handle, const FilePlace& place) {
  *handle = {};
  std::memcpy(handle->reserved, &place, sizeof place);
}

template <class Handle>
FilePlace read_place(const Handle& handle) {
  FilePlace place;
  std::memcpy(&place, handle.reserved, sizeof place);
  return place;
}

}  // namespace

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return api([&](Runtime& runtime) {
    require(handle != nullptr);
    require(sim::wait_all_devices());
    const std::lock_guard lock(runtime.mutex);
    write_place(handle, sim::share_memory(pointer));
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned flags) {
  return api([&](Runtime& runtime) {
    require(pointer != nullptr && flags == cudaIpcMemLazyEnablePeerAccess);
    const std::lock_guard lock(runtime.mutex);
    *pointer = sim::open_shared(read_place(handle));
    return cudaSuccess;
  });
}

cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return api([&](Runtime& runtime) {
    require(sim::wait_all_devices());
    const std::lock_guard lock(runtime.mutex);
    sim::close_shared(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return sim::locked_api([&] {
    require(handle != nullptr);
    const auto& shared = sim::event_of(event).shared;
    require(shared != nullptr, cudaErrorInvalidResourceHandle);
    write_place(handle, shared->place());
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return sim::locked_api([&] {
    require(event != nullptr);
    *event = sim::open_event(read_place(handle));
  });
}
