// Stream-ordered memory and the pools that it comes from.
#include <cstring>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/memory/pool.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/submit_memory.hpp"

using namespace aisp;

using sim::api;
using sim::require;
using sim::Runtime;

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return api([&](Runtime&) {
    require(pointer != nullptr);
    return sim::submit_allocation(pointer, bytes, nullptr, stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (pool == nullptr) return sim::record_error(cudaErrorInvalidValue);
  return api([&](Runtime&) {
    require(pointer != nullptr);
    return sim::submit_allocation(pointer, bytes, pool, stream);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api([&](Runtime&) { return sim::submit_release(pointer, stream); });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime&) {
    require(pool != nullptr);
    sim::require_ordinal(device);
    *pool = sim::default_pool(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime&) {
    require(pool != nullptr);
    sim::require_ordinal(device);
    *pool = sim::current_pool(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return api([&](Runtime&) {
    sim::require_ordinal(device);
    sim::set_current_pool(device, pool);
    return cudaSuccess;
  });
}

namespace {

void require_descriptor(cudaMemAllocationHandleType type) {
  require(type != cudaMemHandleTypeNone);
  require(type == cudaMemHandleTypePosixFileDescriptor, cudaErrorNotSupported);
}

// Pools are those of devices here.
int device_of_pools(const cudaMemLocation* location, cudaMemAllocationType type) {
  require(location != nullptr && type == cudaMemAllocationTypePinned);
  require(location->type == cudaMemLocationTypeDevice, cudaErrorNotSupported);
  sim::require_ordinal(location->id);
  return location->id;
}

}  // namespace

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                                     cudaMemAllocationType type) {
  return api([&](Runtime&) {
    require(pool != nullptr);
    *pool = sim::default_pool(device_of_pools(location, type));
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t* pool, cudaMemLocation* location,
                              cudaMemAllocationType type) {
  return api([&](Runtime&) {
    require(pool != nullptr);
    *pool = sim::current_pool(device_of_pools(location, type));
    return cudaSuccess;
  });
}

cudaError_t cudaMemSetMemPool(cudaMemLocation* location, cudaMemAllocationType type,
                              cudaMemPool_t pool) {
  return api([&](Runtime&) {
    sim::set_current_pool(device_of_pools(location, type), pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api([&](Runtime&) {
    require(pool != nullptr && properties != nullptr);
    *pool = sim::create_pool(*properties);
    return cudaSuccess;
  });
}

// Shareable handles are descriptors of files, the only ones there are on Linux.
cudaError_t cudaMemPoolExportToShareableHandle(void* shareable, cudaMemPool_t pool,
                                               cudaMemAllocationHandleType type, unsigned flags) {
  return api([&](Runtime&) {
    require(shareable != nullptr && flags == 0);
    require_descriptor(type);
    *static_cast<int*>(shareable) = sim::export_pool(pool);
    return cudaSuccess;
  });
}

// The descriptor itself is passed, not its address.
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t* pool, void* shareable,
                                                 cudaMemAllocationHandleType type, unsigned flags) {
  return api([&](Runtime&) {
    require(pool != nullptr && flags == 0);
    require_descriptor(type);
    *pool = sim::import_pool(static_cast<int>(reinterpret_cast<std::intptr_t>(shareable)));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolExportPointer(cudaMemPoolPtrExportData* exported, void* pointer) {
  return api([&](Runtime&) {
    require(exported != nullptr && pointer != nullptr);
    require(sim::forbid_during_capture());
    const auto between = [](const std::function<void()>& body) {
      sim::Executor::get().between_jobs(body);
    };
    const sim::PooledPointer made = sim::export_pooled(pointer, between);
    std::memset(exported, 0, sizeof *exported);
    std::memcpy(exported, &made, sizeof made);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolImportPointer(void** pointer, cudaMemPool_t pool,
                                     cudaMemPoolPtrExportData* exported) {
  return api([&](Runtime&) {
    require(pointer != nullptr && exported != nullptr);
    require(sim::forbid_during_capture());
    sim::PooledPointer handle;
    std::memcpy(static_cast<void*>(&handle), exported, sizeof handle);
    *pointer = sim::import_pooled(pool, handle);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return api([&](Runtime&) {
    sim::destroy_pool(pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  return api([&](Runtime&) {
    sim::trim_pool(pool, keep);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime&) {
    require(value != nullptr);
    sim::read_pool_attribute(pool, attribute, value);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime&) {
    require(value != nullptr);
    sim::set_pool_attribute(pool, attribute, value);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access,
                                 size_t count) {
  return api([&](Runtime&) {
    require(count == 0 || access != nullptr);
    sim::set_pool_access(pool, access, count);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool,
                                 cudaMemLocation* location) {
  return api([&](Runtime&) {
    require(flags != nullptr && location != nullptr);
    *flags = sim::pool_access(pool, *location);
    return cudaSuccess;
  });
}
