// Calls of the driver that the runtime has under another name, and that belong nowhere else.
#include "sim/cuda/driver.hpp"

using namespace aisp::sim::driver;

static_assert(sizeof(CUmemLocation) == sizeof(cudaMemLocation));
static_assert(sizeof(CUDA_MEMCPY3D_BATCH_OP) == sizeof(cudaMemcpy3DBatchOp));

CUresult cuUserObjectCreate(CUuserObject* object, void* data, CUhostFn destroy, unsigned count,
                            unsigned flags) {
  return initialised([&] { return cudaUserObjectCreate(object, data, destroy, count, flags); });
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  return initialised([&] { return cudaUserObjectRetain(object, count); });
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  return initialised([&] { return cudaUserObjectRelease(object, count); });
}

CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count,
                                 unsigned flags) {
  return initialised([&] { return cudaGraphRetainUserObject(graph, object, count, flags); });
}

CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
  return initialised([&] { return cudaGraphReleaseUserObject(graph, object, count); });
}

CUresult cuLogsRegisterCallback(CUlogsCallback callback, void* data, CUlogsCallbackHandle* handle) {
  return guarded([&] {
    return cudaLogsRegisterCallback(reinterpret_cast<cudaLogsCallback_t>(callback), data, handle);
  });
}

CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle) {
  return guarded([&] { return cudaLogsUnregisterCallback(handle); });
}

CUresult cuLogsCurrent(CUlogIterator* iterator, unsigned flags) {
  return guarded([&] { return cudaLogsCurrent(iterator, flags); });
}

CUresult cuLogsDumpToFile(CUlogIterator* iterator, const char* path, unsigned flags) {
  return guarded([&] { return cudaLogsDumpToFile(iterator, path, flags); });
}

CUresult cuLogsDumpToMemory(CUlogIterator* iterator, char* buffer, size_t* bytes, unsigned flags) {
  return guarded([&] { return cudaLogsDumpToMemory(iterator, buffer, bytes, flags); });
}

CUresult cuDeviceRegisterAsyncNotification(CUdevice device, CUasyncCallback callback, void* data,
                                           CUasyncCallbackHandle* handle) {
  return initialised([&] {
    return cudaDeviceRegisterAsyncNotification(
        device, reinterpret_cast<cudaAsyncCallback>(callback), data,
        reinterpret_cast<cudaAsyncCallbackHandle_t*>(handle));
  });
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice device, CUasyncCallbackHandle handle) {
  return initialised([&] {
    return cudaDeviceUnregisterAsyncNotification(
        device, reinterpret_cast<cudaAsyncCallbackHandle_t>(handle));
  });
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned* capabilities,
                                          const CUatomicOperation* operations, unsigned count,
                                          CUdevice device, CUdevice peer) {
  return initialised([&] {
    return cudaDeviceGetP2PAtomicCapabilities(
        capabilities, same<const cudaAtomicOperation>(operations), count, device, peer);
  });
}

CUresult cuDeviceGetHostAtomicCapabilities(unsigned* capabilities,
                                           const CUatomicOperation* operations, unsigned count,
                                           CUdevice device) {
  return initialised([&] {
    return cudaDeviceGetHostAtomicCapabilities(
        capabilities, same<const cudaAtomicOperation>(operations), count, device);
  });
}

CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget target,
                                    CUflushGPUDirectRDMAWritesScope scope) {
  return in_context([&] {
    return cudaDeviceFlushGPUDirectRDMAWrites(
        static_cast<cudaFlushGPUDirectRDMAWritesTarget>(target),
        static_cast<cudaFlushGPUDirectRDMAWritesScope>(scope));
  });
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool* pool, CUmemLocation* location,
                                CUmemAllocationType type) {
  return initialised([&] {
    return cudaMemGetDefaultMemPool(pool, same<cudaMemLocation>(location),
                                    static_cast<cudaMemAllocationType>(type));
  });
}

CUresult cuMemGetMemPool(CUmemoryPool* pool, CUmemLocation* location, CUmemAllocationType type) {
  return initialised([&] {
    return cudaMemGetMemPool(pool, same<cudaMemLocation>(location),
                             static_cast<cudaMemAllocationType>(type));
  });
}

CUresult cuMemSetMemPool(CUmemLocation* location, CUmemAllocationType type, CUmemoryPool pool) {
  return initialised([&] {
    return cudaMemSetMemPool(same<cudaMemLocation>(location),
                             static_cast<cudaMemAllocationType>(type), pool);
  });
}

CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP* operations,
                                 unsigned long long flags, CUstream stream) {
  return in_context([&] {
    return cudaMemcpy3DBatchAsync(count, same<cudaMemcpy3DBatchOp>(operations), flags, stream);
  });
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr* ranges, size_t* bytes, size_t count,
                                 CUmemLocation* locations, size_t* firsts, size_t location_count,
                                 unsigned long long flags, CUstream stream) {
  return in_context([&] {
    return cudaMemPrefetchBatchAsync(reinterpret_cast<void**>(ranges), bytes, count,
                                     same<cudaMemLocation>(locations), firsts, location_count,
                                     flags, stream);
  });
}

CUresult cuMemDiscardBatchAsync(CUdeviceptr* ranges, size_t* bytes, size_t count,
                                unsigned long long flags, CUstream stream) {
  return in_context([&] {
    return cudaMemDiscardBatchAsync(reinterpret_cast<void**>(ranges), bytes, count, flags, stream);
  });
}

CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* ranges, size_t* bytes, size_t count,
                                           CUmemLocation* locations, size_t* firsts,
                                           size_t location_count, unsigned long long flags,
                                           CUstream stream) {
  return in_context([&] {
    return cudaMemDiscardAndPrefetchBatchAsync(reinterpret_cast<void**>(ranges), bytes, count,
                                               same<cudaMemLocation>(locations), firsts,
                                               location_count, flags, stream);
  });
}

static_assert(sizeof(CUipcMemHandle) == sizeof(cudaIpcMemHandle_t));
static_assert(sizeof(CUipcEventHandle) == sizeof(cudaIpcEventHandle_t));

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr memory) {
  return in_context(
      [&] { return cudaIpcGetMemHandle(same<cudaIpcMemHandle_t>(handle), pointer_of(memory)); });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* memory, CUipcMemHandle handle, unsigned flags) {
  return in_context([&] {
    return cudaIpcOpenMemHandle(reinterpret_cast<void**>(memory),
                                *same<cudaIpcMemHandle_t>(&handle), flags);
  });
}

CUresult cuIpcCloseMemHandle(CUdeviceptr memory) {
  return in_context([&] { return cudaIpcCloseMemHandle(pointer_of(memory)); });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* handle, CUevent event) {
  return in_context(
      [&] { return cudaIpcGetEventHandle(same<cudaIpcEventHandle_t>(handle), event); });
}

CUresult cuIpcOpenEventHandle(CUevent* event, CUipcEventHandle handle) {
  return in_context(
      [&] { return cudaIpcOpenEventHandle(event, *same<cudaIpcEventHandle_t>(&handle)); });
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  return initialised([&] {
    return cudaDeviceGetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute),
                                          value);
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute,
                                      void* value) {
  return initialised([&] {
    return cudaDeviceSetGraphMemAttribute(device, static_cast<cudaGraphMemAttributeType>(attribute),
                                          value);
  });
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return initialised([&] { return cudaDeviceGraphMemTrim(device); });
}
