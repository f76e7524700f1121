// Stream-ordered memory and the pools that it comes from.
#include "sim/cuda/driver.hpp"

using namespace aisp::sim::driver;

static_assert(sizeof(CUmemPoolProps) == sizeof(cudaMemPoolProps));
static_assert(sizeof(CUmemAccessDesc) == sizeof(cudaMemAccessDesc));

CUresult cuMemAllocAsync(CUdeviceptr* address, size_t bytes, CUstream stream) {
  return in_context(
      [&] { return cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr* address, size_t bytes, CUmemoryPool pool,
                                 CUstream stream) {
  return in_context([&] {
    return cudaMallocFromPoolAsync(reinterpret_cast<void**>(address), bytes, pool, stream);
  });
}

CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return in_context([&] { return cudaFreeAsync(pointer_of(address), stream); });
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool* pool, CUdevice device) {
  return initialised([&] { return cudaDeviceGetDefaultMemPool(pool, device); });
}

CUresult cuDeviceGetMemPool(CUmemoryPool* pool, CUdevice device) {
  return initialised([&] { return cudaDeviceGetMemPool(pool, device); });
}

CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool) {
  return initialised([&] { return cudaDeviceSetMemPool(device, pool); });
}

CUresult cuMemPoolCreate(CUmemoryPool* pool, const CUmemPoolProps* properties) {
  return initialised(
      [&] { return cudaMemPoolCreate(pool, same<const cudaMemPoolProps>(properties)); });
}

CUresult cuMemPoolExportToShareableHandle(void* shareable, CUmemoryPool pool,
                                          CUmemAllocationHandleType type,
                                          unsigned long long flags) {
  return initialised([&] {
    demand(flags == 0);
    return cudaMemPoolExportToShareableHandle(shareable, pool,
                                              static_cast<cudaMemAllocationHandleType>(type), 0);
  });
}

CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool, void* shareable,
                                            CUmemAllocationHandleType type,
                                            unsigned long long flags) {
  return initialised([&] {
    demand(flags == 0);
    return cudaMemPoolImportFromShareableHandle(pool, shareable,
                                                static_cast<cudaMemAllocationHandleType>(type), 0);
  });
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* exported, CUdeviceptr address) {
  return initialised([&] {
    return cudaMemPoolExportPointer(same<cudaMemPoolPtrExportData>(exported), pointer_of(address));
  });
}

CUresult cuMemPoolImportPointer(CUdeviceptr* address, CUmemoryPool pool,
                                CUmemPoolPtrExportData* exported) {
  return initialised([&] {
    return cudaMemPoolImportPointer(reinterpret_cast<void**>(address), pool,
                                    same<cudaMemPoolPtrExportData>(exported));
  });
}

CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return initialised([&] { return cudaMemPoolDestroy(pool); });
}

CUresult cuMemPoolTrimTo(CUmemoryPool pool, size_t keep) {
  return initialised([&] { return cudaMemPoolTrimTo(pool, keep); });
}

CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return initialised([&] {
    return cudaMemPoolGetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}

CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute, void* value) {
  return initialised([&] {
    return cudaMemPoolSetAttribute(pool, static_cast<cudaMemPoolAttr>(attribute), value);
  });
}

CUresult cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc* access, size_t count) {
  return initialised(
      [&] { return cudaMemPoolSetAccess(pool, same<const cudaMemAccessDesc>(access), count); });
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags* flags, CUmemoryPool pool, CUmemLocation* location) {
  return initialised([&] {
    return cudaMemPoolGetAccess(same<cudaMemAccessFlags>(flags), pool,
                                same<cudaMemLocation>(location));
  });
}
