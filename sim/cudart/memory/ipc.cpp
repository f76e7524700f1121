// Memory and events handed to another process.
#include <cstring>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/memory/allocate.hpp"
#include "sim/runtime/memory/shared_memory.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/event.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::require;
using sim::Runtime;
using sim::SegmentHandle;

namespace {

template <class Handle>
void put(Handle* to, const SegmentHandle& from) {
  std::memset(to, 0, sizeof *to);
  std::memcpy(to, &from, sizeof from);
}
template <class Handle>
SegmentHandle get(const Handle& from) {
  SegmentHandle handle;
  std::memcpy(static_cast<void*>(&handle), &from, sizeof handle);
  return handle;
}

}  // namespace

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* pointer) {
  return api([&](Runtime&) {
    require(handle != nullptr);
    require(sim::forbid_during_capture());
    put(handle, sim::export_memory(pointer, [](const std::function<void()>& body) {
          sim::Executor::get().between_jobs(body);
        }));
    return cudaSuccess;
  });
}

cudaError_t cudaIpcOpenMemHandle(void** pointer, cudaIpcMemHandle_t handle, unsigned flags) {
  return api([&](Runtime&) {
    require(pointer != nullptr && flags == cudaIpcMemLazyEnablePeerAccess);
    require(sim::forbid_during_capture());
    *pointer = sim::import_memory(get(handle));
    return cudaSuccess;
  });
}

// Waits as cudaFree does: work under way may still use it.
cudaError_t cudaIpcCloseMemHandle(void* pointer) {
  return api([&](Runtime&) {
    require(sim::forbid_during_capture());
    require(sim::is_imported(reinterpret_cast<std::uint64_t>(pointer)));
    require(sim::wait_device());
    if (sim::close_import(pointer)) sim::release_memory(pointer);
    return cudaSuccess;
  });
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event) {
  return sim::locked_api([&] {
    require(handle != nullptr);
    const sim::Event& found = sim::event_of(event);
    require(found.shared != nullptr, cudaErrorInvalidResourceHandle);
    put(handle, found.shared->handle(found.device));
  });
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle) {
  return api([&](Runtime&) {
    require(event != nullptr);
    auto shared = std::make_shared<sim::SharedEvent>(get(handle));
    *event = sim::create_event(cudaEventInterprocess | cudaEventDisableTiming, std::move(shared));
    return cudaSuccess;
  });
}
