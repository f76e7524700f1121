#include "sim/cudart/memory_pool.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "sim/cudart/hazards.hpp"
#include "sim/cudart/runtime.hpp"

namespace sim {
namespace {

constexpr std::uint64_t reserve_unit = 32 << 20;  // pools grow by it

struct Pool {
  int device = 0;
  std::uint32_t reach = 0;  // other devices that may touch its memory: a bit for each
  int follow_event_dependencies = 1, allow_opportunistic = 1, allow_internal_dependencies = 1;
  std::uint64_t release_threshold = 0;
  std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  std::uint64_t max_bytes = 0;  // 0: no limit

  void grow(std::uint64_t bytes) {
    used += bytes;
    used_high = std::max(used_high, used);
    reserved = std::max(reserved, (used + reserve_unit - 1) / reserve_unit * reserve_unit);
    reserved_high = std::max(reserved_high, reserved);
  }
};

struct Pools {
  std::mutex mutex;
  Pool standard[most_devices];
  Pool* current[most_devices];
  std::vector<std::unique_ptr<Pool>> created;
  std::map<void*, std::pair<Pool*, std::uint64_t>> owners;  // live memory: pool and bytes
  std::set<void*> releasing;                                // freed in stream order, not yet gone

  Pools() {
    for (int device = 0; device < most_devices; ++device) {
      standard[device].device = device;
      current[device] = &standard[device];
    }
  }
  bool is_standard(const Pool* pool) const {
    return std::any_of(std::begin(standard), std::end(standard),
                       [&](const Pool& own) { return &own == pool; });
  }
  Pool& find(cudaMemPool_t handle) {
    auto* pool = reinterpret_cast<Pool*>(handle);
    const bool known =
        is_standard(pool) || std::any_of(created.begin(), created.end(),
                                         [&](const auto& own) { return own.get() == pool; });
    require(known);
    return *pool;
  }
  void uncount(void* memory) {
    const auto owner = owners.find(memory);
    if (owner == owners.end()) return;
    owner->second.first->used -= owner->second.second;
    owners.erase(owner);
  }
};

Pools& pools() {
  static auto* const all = new Pools;
  return *all;
}

cudaMemPool_t handle_of(Pool* pool) { return reinterpret_cast<cudaMemPool_t>(pool); }

int device_of_pool(cudaMemPool_t handle) {
  const std::lock_guard lock(pools().mutex);
  return pools().find(handle).device;
}

cudaError_t allocate(void** pointer, std::size_t bytes, cudaMemPool_t handle, cudaStream_t stream) {
  return api([&](Runtime& runtime) {
    require(pointer != nullptr);
    const int device = device_of_stream(stream);
    *pointer = nullptr;
    if (bytes == 0) return cudaSuccess;
    Pools& all = pools();
    if (handle == nullptr) {
      const std::lock_guard lock(all.mutex);
      handle = handle_of(all.current[device]);
    }
    if (Hazards* hazards = Hazards::get()) hazards->make_room(device_of_pool(handle), bytes);
    {
      const std::lock_guard lock(all.mutex);
      Pool& pool = all.find(handle);
      require(pool.max_bytes == 0 || pool.used + bytes <= pool.max_bytes,
              cudaErrorMemoryAllocation);
      *pointer = runtime.memory.allocate_on(pool.device, bytes, MemoryKind::device);
      require(*pointer != nullptr, cudaErrorMemoryAllocation);
      runtime.memory.put_into_pool(*pointer, pool.reach);
      pool.grow(bytes);
      all.owners[*pointer] = {&pool, bytes};
    }
    return submit(stream, make_task(AllocateCall{*pointer, bytes, handle}));
  });
}

void require_location(const cudaMemLocation& location) {
  require(location.type == cudaMemLocationTypeDevice && location.id >= 0 &&
          location.id < Runtime::get().model.devices);
}

}  // namespace

std::uint32_t bit_of_access(const cudaMemAccessDesc& access) {
  require_location(access.location);
  require(access.flags == cudaMemAccessFlagsProtReadWrite ||
          access.flags == cudaMemAccessFlagsProtNone);
  return access.flags == cudaMemAccessFlagsProtNone ? 0 : 1u << access.location.id;
}

void retire_in_pool(void* memory) {
  const std::lock_guard lock(pools().mutex);
  pools().uncount(memory);
}

void release_to_pool(void* memory) {
  forget_in_pool(memory);
  Runtime::get().memory.release(memory);
}

void forget_in_pool(void* memory) {
  const std::lock_guard lock(pools().mutex);
  pools().uncount(memory);
  pools().releasing.erase(memory);
}

}  // namespace sim

using sim::api;
using sim::Pool;
using sim::Pools;
using sim::pools;
using sim::require;
using sim::Runtime;

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return sim::allocate(pointer, bytes, nullptr, stream);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  if (pool == nullptr) return sim::record_error(cudaErrorInvalidValue);
  return sim::allocate(pointer, bytes, pool, stream);
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api([&](Runtime& runtime) {
    require(sim::check_stream(stream));
    if (pointer == nullptr) return cudaSuccess;
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const auto found = runtime.memory.find(address);
    require(found && found->base == address && found->kind == sim::MemoryKind::device);
    if (!sim::capturing(stream)) {
      const std::lock_guard lock(pools().mutex);
      require(pools().releasing.insert(pointer).second);
    }
    return sim::submit(stream, sim::make_task(sim::ReleaseCall{pointer}));
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime&) {
    require(pool != nullptr);
    sim::require_ordinal(device);
    *pool = sim::handle_of(&pools().standard[device]);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return api([&](Runtime&) {
    require(pool != nullptr);
    sim::require_ordinal(device);
    const std::lock_guard lock(pools().mutex);
    *pool = sim::handle_of(pools().current[device]);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return api([&](Runtime&) {
    sim::require_ordinal(device);
    const std::lock_guard lock(pools().mutex);
    Pool& chosen = pools().find(pool);
    require(chosen.device == device);
    pools().current[device] = &chosen;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return api([&](Runtime&) {
    require(pool != nullptr && properties != nullptr);
    require(properties->allocType == cudaMemAllocationTypePinned);
    sim::require_location(properties->location);
    const std::lock_guard lock(pools().mutex);
    pools().created.push_back(std::make_unique<Pool>());
    pools().created.back()->max_bytes = properties->maxSize;
    pools().created.back()->device = properties->location.id;
    *pool = sim::handle_of(pools().created.back().get());
    return cudaSuccess;
  });
}

// Memory that is still out stays valid; from here on the default pool counts it.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle) {
  return api([&](Runtime&) {
    Pools& all = pools();
    const std::lock_guard lock(all.mutex);
    Pool* pool = &all.find(handle);
    require(!all.is_standard(pool));
    Pool* const standard = &all.standard[pool->device];
    if (all.current[pool->device] == pool) all.current[pool->device] = standard;
    for (auto& [memory, owner] : all.owners)
      if (owner.first == pool) {
        standard->grow(owner.second);
        owner.first = standard;
      }
    std::erase_if(all.created, [&](const auto& own) { return own.get() == pool; });
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, size_t keep) {
  return api([&](Runtime&) {
    const std::lock_guard lock(pools().mutex);
    Pool& pool = pools().find(handle);
    const std::uint64_t least = std::max<std::uint64_t>(pool.used, keep);
    pool.reserved = std::min(
        pool.reserved, (least + sim::reserve_unit - 1) / sim::reserve_unit * sim::reserve_unit);
    return cudaSuccess;
  });
}

namespace {

// Where an attribute lives: switches are ints, sizes 64-bit words.
struct Attribute {
  int* flag = nullptr;
  std::uint64_t* size = nullptr;
  bool resettable = false;  // a high-water mark: may be set to 0 only
};

Attribute attribute_of(Pool& pool, cudaMemPoolAttr attribute) {
  switch (attribute) {
    case cudaMemPoolReuseFollowEventDependencies:
      return {.flag = &pool.follow_event_dependencies};
    case cudaMemPoolReuseAllowOpportunistic:
      return {.flag = &pool.allow_opportunistic};
    case cudaMemPoolReuseAllowInternalDependencies:
      return {.flag = &pool.allow_internal_dependencies};
    case cudaMemPoolAttrReleaseThreshold:
      return {.size = &pool.release_threshold};
    case cudaMemPoolAttrReservedMemCurrent:
      return {.size = &pool.reserved};
    case cudaMemPoolAttrReservedMemHigh:
      return {.size = &pool.reserved_high, .resettable = true};
    case cudaMemPoolAttrUsedMemCurrent:
      return {.size = &pool.used};
    case cudaMemPoolAttrUsedMemHigh:
      return {.size = &pool.used_high, .resettable = true};
    default:
      throw sim::ApiError{cudaErrorInvalidValue};
  }
}

}  // namespace

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime&) {
    require(value != nullptr);
    const std::lock_guard lock(pools().mutex);
    const Attribute found = attribute_of(pools().find(handle), attribute);
    if (found.flag != nullptr)
      *static_cast<int*>(value) = *found.flag;
    else
      *static_cast<std::uint64_t*>(value) = *found.size;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return api([&](Runtime&) {
    require(value != nullptr);
    const std::lock_guard lock(pools().mutex);
    Pool& pool = pools().find(handle);
    const Attribute found = attribute_of(pool, attribute);
    if (found.flag != nullptr) {
      *found.flag = *static_cast<const int*>(value);
      return cudaSuccess;
    }
    const std::uint64_t size = *static_cast<const std::uint64_t*>(value);
    require(attribute == cudaMemPoolAttrReleaseThreshold || (found.resettable && size == 0));
    *found.size = size;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc* access,
                                 size_t count) {
  return api([&](Runtime& runtime) {
    require(count == 0 || access != nullptr);
    const std::lock_guard lock(pools().mutex);
    Pool& pool = pools().find(handle);
    std::uint32_t reach = pool.reach;
    for (size_t i = 0; i < count; ++i) {
      const std::uint32_t bit = sim::bit_of_access(access[i]);
      require(bit != 0 || access[i].location.id != pool.device);  // its own is not taken away
      reach = (reach & ~(1u << access[i].location.id)) | bit;
    }
    pool.reach = reach;
    for (const auto& [memory, owner] : pools().owners)
      if (owner.first == &pool) runtime.memory.put_into_pool(memory, reach);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle,
                                 cudaMemLocation* location) {
  return api([&](Runtime&) {
    require(flags != nullptr && location != nullptr);
    const std::lock_guard lock(pools().mutex);
    const Pool& pool = pools().find(handle);
    sim::require_location(*location);
    const bool may = location->id == pool.device || (pool.reach >> location->id & 1) != 0;
    *flags = may ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
    return cudaSuccess;
  });
}
