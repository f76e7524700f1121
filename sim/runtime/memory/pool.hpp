// Memory pools. A pool keeps counts and settings; the memory itself comes from its device's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/runtime/memory/calls.hpp"
#include "sim/runtime/memory/shared_memory.hpp"
#include "sim/runtime/state/cuda.hpp"

namespace aisp::sim {

// Handles. All of these throw ApiError.
cudaMemPool_t default_pool(int device);
cudaMemPool_t current_pool(int device);
void set_current_pool(int device, cudaMemPool_t pool);
cudaMemPool_t create_pool(const cudaMemPoolProps& properties);
// Memory that is still out stays valid; from here on the default pool counts it.
void destroy_pool(cudaMemPool_t pool);
// Pools of several processes: a descriptor for another process, the pool that it stands for there,
// and allocations of the pool. Nothing is allocated from an imported pool.
int export_pool(cudaMemPool_t pool);
cudaMemPool_t import_pool(int descriptor);
struct PooledPointer {  // in 64 bytes of cudaMemPoolPtrExportData
  SegmentHandle memory;
  std::uint64_t pool = 0;
};
static_assert(sizeof(PooledPointer) <= sizeof(cudaMemPoolPtrExportData));
PooledPointer export_pooled(const void* pointer, const BetweenOperations& between_operations);
void* import_pooled(cudaMemPool_t pool, const PooledPointer& exported);
void trim_pool(cudaMemPool_t pool, std::size_t keep);

// `value`: an int for switches, 64 bits for sizes.
void read_pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value);
void set_pool_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, const void* value);
void set_pool_access(cudaMemPool_t pool, const cudaMemAccessDesc* access, std::size_t count);
cudaMemAccessFlags pool_access(cudaMemPool_t pool, const cudaMemLocation& location);
// The device that gets access, as a bit; 0 for one that loses it.
std::uint32_t bit_of_access(const cudaMemAccessDesc& access);

// What a submission of stream-ordered work begins with; no pool: the device's current one.
AllocateCall take_from_pool(cudaMemPool_t pool, int device, std::size_t bytes);
// Of a stream that is captured: the graph owns the memory, with the pool's device and access.
AllocateCall take_for_graph(cudaMemPool_t pool, int device, std::size_t bytes);
// The memory will be freed in stream order. Throws ApiError when it is being freed already.
void announce_release(void* memory);

// What the task of a ReleaseCall does: the memory is gone from here on in stream order. Under the
// hazard checker it stays a while: whoever touches it from here on is to be found, not stopped.
void perform(const ReleaseCall& call);
void release_to_pool(void* memory);
// The memory is freed by cudaFree: the pool it came from stops counting it.
void forget_in_pool(void* memory);

}  // namespace aisp::sim
