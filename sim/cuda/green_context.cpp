// Green contexts: contexts whose kernels run on a part of a device's SMs.
#include <deque>
#include <mutex>

#include "sim/cuda/sm_resource.hpp"
#include "sim/runtime/state/device.hpp"
#include "sim/runtime/stream/event.hpp"
#include "sim/runtime/stream/streams.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using namespace sim::driver;
using sim::Context;
using sim::Runtime;

namespace {

// A finished description. The driver has no call that frees one.
struct Description {
  int device = 0;
  SmSet sms;
};

std::deque<Description>& descriptions() {  // guarded by Runtime::mutex
  static auto* const all = new std::deque<Description>;
  return *all;
}

const Description& description_of(CUdevResourceDesc handle) {
  for (const Description& description : descriptions())
    if (reinterpret_cast<CUdevResourceDesc>(const_cast<Description*>(&description)) == handle)
      return description;
  throw DriverError{CUDA_ERROR_INVALID_VALUE};
}

Context& green_of(CUgreenCtx handle) {
  Context* context = sim::find_context(handle);
  demand(context != nullptr && context->part, CUDA_ERROR_INVALID_CONTEXT);
  demand(context->alive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  return *context;
}

Context& context_of(CUcontext handle) {
  Context* context = sim::find_context(handle);
  demand(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  demand(context->alive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  return *context;
}

void record(const Context& context, CUevent event) {
  const std::lock_guard lock(Runtime::get().mutex);
  record_event(sim::event_of(event), context);
}

void wait(const Context& context, CUevent event) {
  const std::lock_guard lock(Runtime::get().mutex);
  wait_for_event(context, sim::event_of(event));
}

}  // namespace

CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource* resource, CUdevResourceType type) {
  return initialised([&] {
    demand_device(device);
    demand(resource != nullptr);
    demand_sm_type(type);
    write_resource(*resource, resource_of_device(device));
  });
}

CUresult cuCtxGetDevResource(CUcontext context, CUdevResource* resource, CUdevResourceType type) {
  return initialised([&] {
    const Context& of = context_of(context);
    demand(resource != nullptr);
    demand_sm_type(type);
    write_resource(*resource, resource_of(of));
  });
}

CUresult cuGreenCtxGetDevResource(CUgreenCtx green, CUdevResource* resource,
                                  CUdevResourceType type) {
  return initialised([&] {
    const Context& of = green_of(green);
    demand(resource != nullptr);
    demand_sm_type(type);
    write_resource(*resource, resource_of(of));
  });
}

// Without `result` it counts the groups alone.
CUresult cuDevSmResourceSplitByCount(CUdevResource* result, unsigned* count,
                                     const CUdevResource* input, CUdevResource* remaining,
                                     unsigned flags, unsigned least) {
  return initialised([&] {
    demand(count != nullptr && input != nullptr && (result == nullptr || *count != 0));
    const SmGroups made =
        split_resource(read_resource(*input), least, flags, result == nullptr ? most_sms : *count);
    *count = static_cast<unsigned>(made.groups.size());
    if (result != nullptr)
      for (std::size_t i = 0; i < made.groups.size(); ++i)
        write_resource(result[i], made.groups[i]);
    if (remaining != nullptr) write_resource(*remaining, made.rest);
  });
}

CUresult cuDevResourceGenerateDesc(CUdevResourceDesc* description, CUdevResource* resources,
                                   unsigned count) {
  return initialised([&] {
    demand(description != nullptr && resources != nullptr && count != 0);
    const SmResource first = read_resource(resources[0]);
    SmSet sms = first.sms;
    for (unsigned i = 1; i < count; ++i) {
      const SmResource next = read_resource(resources[i]);
      demand(next.device == first.device && next.split != 0 && next.split == first.split &&
                 (next.sms & sms).none(),
             CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
      sms |= next.sms;
    }
    const std::lock_guard lock(Runtime::get().mutex);
    descriptions().push_back({first.device, sms});
    *description = reinterpret_cast<CUdevResourceDesc>(&descriptions().back());
  });
}

CUresult cuGreenCtxCreate(CUgreenCtx* green, CUdevResourceDesc handle, CUdevice device,
                          unsigned flags) {
  return initialised([&] {
    demand(green != nullptr && flags == CU_GREEN_CTX_DEFAULT_STREAM);
    demand_device(device);
    const std::lock_guard lock(Runtime::get().mutex);
    const Description& description = description_of(handle);
    demand(description.device == device);
    Context& primary = sim::primary_context(device);
    ++primary.retained;
    primary.alive = true;
    auto part = std::make_shared<const sim::DevicePart>(
        part_of(Runtime::get().model, numbers_of(description.sms)));
    *green =
        reinterpret_cast<CUgreenCtx>(&sim::create_context(device, primary.flags, std::move(part)));
  });
}

CUresult cuGreenCtxDestroy(CUgreenCtx green) {
  int device = 0;
  const CUresult result = initialised([&] {
    Context& context = green_of(green);
    device = context.device;
    const sim::OnDevice there(device);
    demand(sim::wait_device());
    context.alive = false;
  });
  return result == CUDA_SUCCESS ? cuDevicePrimaryCtxRelease_v2(device) : result;
}

CUresult cuCtxFromGreenCtx(CUcontext* context, CUgreenCtx green) {
  return initialised([&] {
    demand(context != nullptr);
    *context = reinterpret_cast<CUcontext>(&green_of(green));
  });
}

CUresult cuGreenCtxStreamCreate(CUstream* stream, CUgreenCtx green, unsigned flags, int priority) {
  return initialised([&] {
    const Context& context = green_of(green);
    demand(stream != nullptr && flags == CU_STREAM_NON_BLOCKING);
    const std::lock_guard lock(Runtime::get().mutex);
    const int own = std::clamp(priority, sim::highest_priority, sim::lowest_priority);
    *stream = sim::handle_of(sim::Streams::get().create(context.device, flags, own, &context));
  });
}

CUresult cuGreenCtxGetId(CUgreenCtx green, unsigned long long* id) {
  return initialised([&] {
    demand(id != nullptr);
    const Context* current = sim::current_context();
    if (green == nullptr) demand(current != nullptr && current->part, CUDA_ERROR_INVALID_CONTEXT);
    *id = green != nullptr ? green_of(green).id : current->id;
  });
}

CUresult cuGreenCtxRecordEvent(CUgreenCtx green, CUevent event) {
  return initialised([&] { record(green_of(green), event); });
}

CUresult cuGreenCtxWaitEvent(CUgreenCtx green, CUevent event) {
  return initialised([&] { wait(green_of(green), event); });
}

CUresult cuCtxRecordEvent(CUcontext context, CUevent event) {
  return initialised([&] { record(context_of(context), event); });
}

CUresult cuCtxWaitEvent(CUcontext context, CUevent event) {
  return initialised([&] { wait(context_of(context), event); });
}
