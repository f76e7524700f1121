// The entries that make, query and synchronise streams.
#include <algorithm>

#include "sim/cudart/capture.hpp"
#include "sim/cudart/hazards.hpp"
#include "sim/cudart/pointer.hpp"

using sim::api;
using sim::api_query;
using sim::Executor;
using sim::Job;
using sim::require;
using sim::Runtime;
using sim::Stream;
using sim::Streams;
using sim::TaskResult;

namespace {

template <class Value, class Read>
cudaError_t read(cudaStream_t handle, Value* value, Read get) {
  return api([&](Runtime& runtime) {
    require(value != nullptr);
    const std::lock_guard lock(runtime.mutex);
    *value = get(Streams::get().find(handle));
    return cudaSuccess;
  });
}

// What a host thread that asks about a stream waits for, and whose error it learns.
struct Asked {
  std::vector<sim::MarkPtr> marks;
  int device;
};
Asked asked(Runtime& runtime, cudaStream_t handle) {
  const std::lock_guard lock(runtime.mutex);
  sim::require_permitted();
  Stream& stream = Streams::get().find(handle);
  sim::require_not_capturing(stream);
  sim::require_no_implicit_capture(stream);
  require(sim::forbid_during_capture());
  return {stream.legacy ? Streams::get().before(stream) : std::vector{stream.tail}, stream.device};
}

}  // namespace

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* handle, unsigned flags, int priority) {
  return api([&](Runtime& runtime) {
    require(handle != nullptr && (flags & ~unsigned{cudaStreamNonBlocking}) == 0);
    int least = 0, greatest = 0;
    require(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    const std::lock_guard lock(runtime.mutex);
    *handle = sim::handle_of(
        Streams::get().create(sim::current_device(), flags, std::clamp(priority, greatest, least)));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* handle, unsigned flags) {
  return cudaStreamCreateWithPriority(handle, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* handle) {
  return cudaStreamCreateWithPriority(handle, cudaStreamDefault, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return api([&](Runtime& runtime) {
    require(handle != nullptr && handle != cudaStreamLegacy && handle != cudaStreamPerThread,
            cudaErrorInvalidResourceHandle);
    const std::lock_guard lock(runtime.mutex);
    sim::require_permitted();
    Streams::get().destroy(Streams::get().find(handle));
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return read(handle, flags, [](const Stream& stream) { return stream.flags; });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return read(handle, priority, [](const Stream& stream) { return stream.priority; });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return read(handle, id, [](const Stream& stream) { return stream.id; });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return read(handle, device, [](const Stream& stream) { return stream.device; });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  return api([&](Runtime& runtime) {
    const Asked stream = asked(runtime, handle);
    for (const sim::MarkPtr& mark : stream.marks) Executor::get().wait(mark);
    return runtime.sticky(stream.device);
  });
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return api_query([&](Runtime& runtime) {
    const Asked stream = asked(runtime, handle);
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

// A callback learns of the error of a lost device.
cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return api([&](Runtime& runtime) {
    require(callback != nullptr && flags == 0);
    const std::lock_guard lock(runtime.mutex);
    sim::require_permitted();
    Stream& stream = Streams::get().find(handle);
    sim::require_not_capturing(stream);
    sim::require_no_implicit_capture(stream);
    const auto call = [=, &runtime](double) {
      callback(handle, runtime.sticky(), data);
      return TaskResult{};
    };
    Job job{.run = call, .even_if_lost = true};
    if (sim::Hazards::get() != nullptr)
      job.operation = sim::hazards::describe({.what = sim::HostCall{}, .run = nullptr}, stream, 0);
    Streams::get().enqueue(stream, std::move(job));
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
