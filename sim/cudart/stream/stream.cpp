// The entries that make, query and synchronise streams.
#include <algorithm>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/streams.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using sim::api;
using sim::api_query;
using sim::Executor;
using sim::locked_api;
using sim::require;
using sim::Runtime;
using sim::Stream;
using sim::StreamMarks;
using sim::Streams;

namespace {

template <class Value, class Read>
cudaError_t read(cudaStream_t handle, Value* value, Read get) {
  return locked_api([&] {
    require(value != nullptr);
    *value = get(Streams::get().find(handle));
  });
}

StreamMarks asked(Runtime& runtime, cudaStream_t handle) {
  const std::lock_guard lock(runtime.mutex);
  StreamMarks stream = sim::awaited_marks(handle);
  require(sim::forbid_during_capture());
  return stream;
}

}  // namespace

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* handle, unsigned flags, int priority) {
  return locked_api([&] {
    require(handle != nullptr && (flags & ~unsigned{cudaStreamNonBlocking}) == 0);
    const int own = std::clamp(priority, sim::highest_priority, sim::lowest_priority);
    const sim::Context* current = sim::current_context();
    const bool green = current != nullptr && current->part;
    *handle = sim::handle_of(
        Streams::get().create(sim::current_device(), flags, own, green ? current : nullptr));
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned flags) {
  return cudaStreamCreateWithPriority(handle, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* handle) {
  return cudaStreamCreateWithPriority(handle, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return locked_api([&] {
    require(handle != nullptr && handle != cudaStreamLegacy && handle != cudaStreamPerThread,
            cudaErrorInvalidResourceHandle);
    sim::require_permitted();
    Streams::get().destroy(Streams::get().find(handle));
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return read(handle, flags, [](const Stream& stream) { return stream.flags; });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return read(handle, priority, [](const Stream& stream) { return stream.priority; });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return locked_api([&] {
    require(id != nullptr);
    Stream& stream = Streams::get().find(handle);
    sim::require_not_capturing(stream);  // as an H200 with CUDA 13.0 has it
    *id = stream.id;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return read(handle, device, [](const Stream& stream) { return stream.device; });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return api([&](Runtime& runtime) {
    const StreamMarks stream = asked(runtime, handle);
    for (const sim::MarkPtr& mark : stream.marks) Executor::get().wait(mark);
    return runtime.sticky(stream.device);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return api_query([&](Runtime& runtime) {
    const StreamMarks stream = asked(runtime, handle);
    for (const sim::MarkPtr& mark : stream.marks)
      if (!Executor::get().reached(mark)) return cudaErrorNotReady;
    return runtime.sticky(stream.device);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return api([&](Runtime&) {
    require(function != nullptr);
    return sim::submit(stream, sim::make_task(sim::HostCall{function, data}));
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return api([&](Runtime&) {
    require(callback != nullptr && flags == 0);
    sim::submit_callback(stream, callback, data);
    return cudaSuccess;
  });
}

// Managed memory is everybody's at any time here, which every attachment allows.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t handle, void* memory, size_t bytes,
                                     unsigned flags) {
  return api([&](Runtime& runtime) {
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost ||
            flags == cudaMemAttachSingle);
    const auto found = runtime.memory.find(reinterpret_cast<std::uint64_t>(memory));
    require(found && found->kind == sim::MemoryKind::managed);
    require(found->base == reinterpret_cast<std::uint64_t>(memory));
    require(bytes == 0 || bytes == found->bytes);
    const std::lock_guard lock(runtime.mutex);
    sim::require_not_capturing(Streams::get().find(handle));
    return cudaSuccess;
  });
}
