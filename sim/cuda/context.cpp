// Contexts: the primary one of each device, others, and which is whose.
#include "sim/cuda/module_store.hpp"
#include "sim/runtime/state/device.hpp"
#include "sim/runtime/stream/submit.hpp"

using namespace aisp;

using namespace sim::driver;
using sim::Context;
using sim::Runtime;

namespace {

constexpr unsigned known_context_flags = CU_CTX_FLAGS_MASK;

CUcontext handle_of_context(Context* context) { return reinterpret_cast<CUcontext>(context); }

Context& context_of(CUcontext handle) {
  Context* context = sim::find_context(handle);
  demand(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  demand(context->alive, CUDA_ERROR_CONTEXT_IS_DESTROYED);
  return *context;
}

// Null: the calling thread's.
Context& context_or_current(CUcontext handle) {
  if (handle != nullptr) return context_of(handle);
  Context* context = sim::current_context();
  demand(context != nullptr, CUDA_ERROR_INVALID_CONTEXT);
  return *context;
}

void end_context(Context& context) {
  const sim::OnDevice there(context.device);
  demand(sim::wait_device());
  release_all_of(context);
  context.alive = false;
}

CUresult make_context(CUcontext* handle, unsigned flags, CUdevice device) {
  return initialised([&] {
    demand(handle != nullptr && (flags & ~known_context_flags) == 0);
    demand_device(device);
    Context& made = sim::create_context(device, flags);
    sim::push_context(made);
    *handle = handle_of_context(&made);
  });
}

template <class Body>
CUresult with_primary(CUdevice device, Body body) {
  return initialised([&] {
    demand_device(device);
    const std::lock_guard lock(Runtime::get().mutex);
    return body(sim::primary_context(device));
  });
}

}  // namespace

CUresult cuCtxCreate_v2(CUcontext* context, unsigned flags, CUdevice device) {
  return make_context(context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext* context, CUexecAffinityParam* affinity, int count,
                        unsigned flags, CUdevice device) {
  if (affinity != nullptr && count > 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  return make_context(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext* context, CUctxCreateParams* parameters, unsigned flags,
                        CUdevice device) {
  if (parameters != nullptr && parameters->execAffinityParams != nullptr &&
      parameters->numExecAffinityParams > 0)
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  if (parameters != nullptr && parameters->cigParams != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  return make_context(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  return initialised([&] {
    Context& context = context_of(handle);
    demand(!context.primary && !context.part, CUDA_ERROR_INVALID_CONTEXT);
    end_context(context);
    if (sim::current_context() == &context) sim::pop_context();
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return initialised([&] { sim::push_context(context_of(context)); });
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  return initialised([&] {
    Context* top = sim::pop_context();
    demand(top != nullptr, CUDA_ERROR_INVALID_CONTEXT);
    if (context != nullptr) *context = handle_of_context(top);
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return initialised(
      [&] { sim::set_current_context(context == nullptr ? nullptr : &context_of(context)); });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return initialised([&] {
    demand(context != nullptr);
    *context = handle_of_context(sim::current_context());
  });
}

CUresult cuCtxGetDevice_v2(CUdevice* device, CUcontext context) {
  return initialised([&] {
    demand(device != nullptr);
    *device = context_or_current(context).device;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) { return cuCtxGetDevice_v2(device, nullptr); }

CUresult cuCtxGetId(CUcontext context, unsigned long long* id) {
  return initialised([&] {
    demand(id != nullptr);
    *id = context_or_current(context).id;
  });
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned* version) {
  return initialised([&] {
    demand(version != nullptr);
    context_or_current(context);
    *version = 3020;  // of every context since CUDA 3.2
  });
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  return in_context([&] {
    const sim::OnDevice there(context_or_current(handle).device);
    return cudaDeviceSynchronize();
  });
}

CUresult cuCtxSynchronize() {
  return in_context([] { return cudaDeviceSynchronize(); });
}

CUresult cuCtxGetFlags(unsigned* flags) {
  return in_context([&] {
    demand(flags != nullptr);
    *flags = sim::current_context()->flags;
  });
}

CUresult cuCtxSetFlags(unsigned flags) {
  return in_context([&] {
    demand((flags & ~known_context_flags) == 0);
    sim::current_context()->flags = flags;
  });
}

CUresult cuCtxGetLimit(size_t* value, CUlimit limit) {
  return in_context([&] { return cudaDeviceGetLimit(value, static_cast<cudaLimit>(limit)); });
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  return in_context([&] { return cudaDeviceSetLimit(static_cast<cudaLimit>(limit), value); });
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  return in_context([&] { return cudaDeviceGetCacheConfig(same<cudaFuncCache>(config)); });
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  return in_context([&] { return cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(config)); });
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig* config) {
  return in_context([&] {
    demand(config != nullptr);
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  });
}

CUresult cuCtxSetSharedMemConfig(CUsharedconfig) {
  return in_context([] {});
}

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return in_context([&] { return cudaDeviceGetStreamPriorityRange(least, greatest); });
}

CUresult cuCtxResetPersistingL2Cache() {
  return in_context([] { return cudaCtxResetPersistingL2Cache(); });
}

CUresult cuCtxGetExecAffinity(CUexecAffinityParam* affinity, CUexecAffinityType) {
  return in_context([&] {
    demand(affinity != nullptr);
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  });
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
  return in_context([&] { return cudaDeviceEnablePeerAccess(context_of(peer).device, flags); });
}

CUresult cuCtxDisablePeerAccess(CUcontext peer) {
  return in_context([&] { return cudaDeviceDisablePeerAccess(context_of(peer).device); });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return with_primary(device, [&](Context& primary) {
    demand(context != nullptr);
    ++primary.retained;
    primary.alive = true;
    *context = handle_of_context(&primary);
  });
}

// The last one out takes what lives in it along, unless the runtime works in it, too.
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  bool last = false;
  const CUresult result = with_primary(device, [&](Context& primary) {
    demand(primary.retained > 0, CUDA_ERROR_INVALID_CONTEXT);
    last = --primary.retained == 0 && !sim::runtime_used(device);
  });
  return last ? guarded([&] { end_context(sim::primary_context(device)); }) : result;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  return initialised([&] {
    demand_device(device);
    const sim::OnDevice there(device);
    release_all_of(sim::primary_context(device));
    return cudaDeviceReset();
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return with_primary(device, [&](Context& primary) {
    demand(flags != nullptr && active != nullptr);
    *flags = primary.flags;
    *active = primary.alive;
  });
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags) {
  return with_primary(device, [&](Context& primary) {
    demand((flags & ~known_context_flags) == 0);
    primary.flags = flags;
  });
}
