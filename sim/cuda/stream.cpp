// Streams, callbacks and captures.
#include "sim/cuda/driver.hpp"
#include "sim/runtime/stream/streams.hpp"

using namespace aisp;

using namespace sim::driver;

static_assert(sizeof(CUstreamAttrValue) == sizeof(cudaLaunchAttributeValue));
static_assert(sizeof(CUgraphEdgeData) == sizeof(cudaGraphEdgeData));

namespace {

// Of a default stream: the current context, where it is a green one. Null: none.
const sim::Context* green_context_of(CUstream handle) {
  const std::lock_guard lock(sim::Runtime::get().mutex);
  const sim::Stream& stream = sim::Streams::get().find(handle);
  if (stream.green != nullptr) return stream.green;
  const bool special =
      handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
  const sim::Context* current = sim::current_context();
  return special && current->part ? current : nullptr;
}

}  // namespace

CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return in_context([&] { return cudaStreamCreateWithPriority(stream, flags, priority); });
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return cuStreamCreateWithPriority(stream, flags, 0);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  return in_context([&] { return cudaStreamDestroy(stream); });
}

CUresult cuStreamGetPriority(CUstream stream, int* priority) {
  return in_context([&] { return cudaStreamGetPriority(stream, priority); });
}

CUresult cuStreamGetFlags(CUstream stream, unsigned* flags) {
  return in_context([&] { return cudaStreamGetFlags(stream, flags); });
}

CUresult cuStreamGetId(CUstream stream, unsigned long long* id) {
  return in_context([&] { return cudaStreamGetId(stream, id); });
}

CUresult cuStreamGetDevice(CUstream stream, CUdevice* device) {
  return in_context([&] { return cudaStreamGetDevice(stream, device); });
}

// A stream is of the calling thread's context where that is of the same device, else of the primary
// one.
CUresult cuStreamGetCtx(CUstream stream, CUcontext* context) {
  return in_context([&] {
    demand(context != nullptr);
    demand(green_context_of(stream) == nullptr, CUDA_ERROR_NOT_SUPPORTED);
    int device = 0;
    demand(cudaStreamGetDevice(stream, &device));
    sim::Context* current = sim::owning_context();
    *context = reinterpret_cast<CUcontext>(
        current->device == device ? current : &sim::primary_context(device));
  });
}

CUresult cuStreamGetCtx_v2(CUstream stream, CUcontext* context, CUgreenCtx* green) {
  return in_context([&] {
    demand(context != nullptr && green != nullptr);
    const sim::Context* of_stream = green_context_of(stream);
    *green = reinterpret_cast<CUgreenCtx>(const_cast<sim::Context*>(of_stream));
    if (of_stream == nullptr) return cuStreamGetCtx(stream, context);
    demand(stream != CU_STREAM_PER_THREAD, CUDA_ERROR_INVALID_HANDLE);
    *context = reinterpret_cast<CUcontext>(&sim::primary_context(of_stream->device));
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx* green) {
  return in_context([&] {
    demand(green != nullptr);
    *green = reinterpret_cast<CUgreenCtx>(const_cast<sim::Context*>(green_context_of(stream)));
  });
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return in_context([&] { return cudaStreamWaitEvent(stream, event, flags); });
}

// The driver's callback has its own error type of the same numbers.
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void* data,
                             unsigned flags) {
  return in_context([&] {
    return cudaStreamAddCallback(stream, reinterpret_cast<cudaStreamCallback_t>(callback), data,
                                 flags);
  });
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr memory, size_t bytes, unsigned flags) {
  return in_context(
      [&] { return cudaStreamAttachMemAsync(stream, pointer_of(memory), bytes, flags); });
}

CUresult cuStreamQuery(CUstream stream) {
  return in_context([&] { return cudaStreamQuery(stream); });
}

CUresult cuStreamSynchronize(CUstream stream) {
  return in_context([&] { return cudaStreamSynchronize(stream); });
}

CUresult cuStreamCopyAttributes(CUstream to, CUstream from) {
  return in_context([&] { return cudaStreamCopyAttributes(to, from); });
}

CUresult cuStreamGetAttribute(CUstream stream, CUstreamAttrID attribute, CUstreamAttrValue* value) {
  return in_context([&] {
    return cudaStreamGetAttribute(stream, static_cast<cudaLaunchAttributeID>(attribute),
                                  same<cudaLaunchAttributeValue>(value));
  });
}

CUresult cuStreamSetAttribute(CUstream stream, CUstreamAttrID attribute,
                              const CUstreamAttrValue* value) {
  return in_context([&] {
    return cudaStreamSetAttribute(stream, static_cast<cudaLaunchAttributeID>(attribute),
                                  same<const cudaLaunchAttributeValue>(value));
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return initialised(
      [&] { return cudaThreadExchangeStreamCaptureMode(same<cudaStreamCaptureMode>(mode)); });
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  return in_context(
      [&] { return cudaStreamBeginCapture(stream, static_cast<cudaStreamCaptureMode>(mode)); });
}

CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph graph, const CUgraphNode* before,
                                     const CUgraphEdgeData* edges, size_t count,
                                     CUstreamCaptureMode mode) {
  return in_context([&] {
    return cudaStreamBeginCaptureToGraph(stream, graph, before,
                                         same<const cudaGraphEdgeData>(edges), count,
                                         static_cast<cudaStreamCaptureMode>(mode));
  });
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  return in_context([&] { return cudaStreamEndCapture(stream, graph); });
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  return in_context(
      [&] { return cudaStreamIsCapturing(stream, same<cudaStreamCaptureStatus>(status)); });
}

CUresult cuStreamGetCaptureInfo_v3(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   const CUgraphEdgeData** edges, size_t* count) {
  return in_context([&] {
    unsigned long long number = 0;
    demand(cudaStreamGetCaptureInfo(stream, same<cudaStreamCaptureStatus>(status),
                                    id != nullptr ? &number : nullptr, graph, dependencies,
                                    reinterpret_cast<const cudaGraphEdgeData**>(edges), count));
    if (id != nullptr) *id = number;
  });
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id,
                                   CUgraph* graph, const CUgraphNode** dependencies,
                                   size_t* count) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, nullptr, count);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream stream, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* edges, size_t count,
                                              unsigned flags) {
  return in_context([&] {
    return cudaStreamUpdateCaptureDependencies(stream, dependencies,
                                               same<const cudaGraphEdgeData>(edges), count, flags);
  });
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode* dependencies, size_t count,
                                           unsigned flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, dependencies, nullptr, count, flags);
}
