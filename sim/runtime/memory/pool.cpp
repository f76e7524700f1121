#include "sim/runtime/memory/pool.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "sim/runtime/memory/graph_memory.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint64_t reserve_unit = 32 << 20;  // pools grow by it

std::uint64_t in_units(std::uint64_t bytes) {
  return (bytes + reserve_unit - 1) / reserve_unit * reserve_unit;
}

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
    reserved = std::max(reserved, in_units(used));
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

void require_location(const cudaMemLocation& location) {
  require(location.type == cudaMemLocationTypeDevice && location.id >= 0 &&
          location.id < Runtime::get().model.devices);
}

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
      throw ApiError{cudaErrorInvalidValue};
  }
}

}  // namespace

cudaMemPool_t default_pool(int device) { return handle_of(&pools().standard[device]); }

cudaMemPool_t current_pool(int device) {
  const std::lock_guard lock(pools().mutex);
  return handle_of(pools().current[device]);
}

void set_current_pool(int device, cudaMemPool_t pool) {
  const std::lock_guard lock(pools().mutex);
  Pool& chosen = pools().find(pool);
  require(chosen.device == device);
  pools().current[device] = &chosen;
}

cudaMemPool_t create_pool(const cudaMemPoolProps& properties) {
  require(properties.allocType == cudaMemAllocationTypePinned);
  require_location(properties.location);
  const std::lock_guard lock(pools().mutex);
  pools().created.push_back(std::make_unique<Pool>());
  pools().created.back()->max_bytes = properties.maxSize;
  pools().created.back()->device = properties.location.id;
  return handle_of(pools().created.back().get());
}

void destroy_pool(cudaMemPool_t handle) {
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
}

void trim_pool(cudaMemPool_t handle, std::size_t keep) {
  const std::lock_guard lock(pools().mutex);
  Pool& pool = pools().find(handle);
  pool.reserved = std::min(pool.reserved, in_units(std::max<std::uint64_t>(pool.used, keep)));
}

void read_pool_attribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  const std::lock_guard lock(pools().mutex);
  const Attribute found = attribute_of(pools().find(handle), attribute);
  if (found.flag != nullptr)
    *static_cast<int*>(value) = *found.flag;
  else
    *static_cast<std::uint64_t*>(value) = *found.size;
}

void set_pool_attribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, const void* value) {
  const std::lock_guard lock(pools().mutex);
  const Attribute found = attribute_of(pools().find(handle), attribute);
  if (found.flag != nullptr) {
    *found.flag = *static_cast<const int*>(value);
    return;
  }
  const std::uint64_t size = *static_cast<const std::uint64_t*>(value);
  require(attribute == cudaMemPoolAttrReleaseThreshold || (found.resettable && size == 0));
  *found.size = size;
}

void set_pool_access(cudaMemPool_t handle, const cudaMemAccessDesc* access, std::size_t count) {
  const std::lock_guard lock(pools().mutex);
  Pool& pool = pools().find(handle);
  std::uint32_t reach = pool.reach;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bit = bit_of_access(access[i]);
    require(bit != 0 || access[i].location.id != pool.device);  // its own is not taken away
    reach = (reach & ~(1u << access[i].location.id)) | bit;
  }
  pool.reach = reach;
  for (const auto& [memory, owner] : pools().owners)
    if (owner.first == &pool) Runtime::get().memory.put_into_pool(memory, reach);
}

cudaMemAccessFlags pool_access(cudaMemPool_t handle, const cudaMemLocation& location) {
  const std::lock_guard lock(pools().mutex);
  const Pool& pool = pools().find(handle);
  require_location(location);
  const bool may = location.id == pool.device || (pool.reach >> location.id & 1) != 0;
  return may ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
}

std::uint32_t bit_of_access(const cudaMemAccessDesc& access) {
  require_location(access.location);
  require(access.flags == cudaMemAccessFlagsProtReadWrite ||
          access.flags == cudaMemAccessFlagsProtNone);
  return access.flags == cudaMemAccessFlagsProtNone ? 0 : 1u << access.location.id;
}

AllocateCall take_from_pool(cudaMemPool_t handle, int device, std::size_t bytes) {
  if (handle == nullptr) handle = current_pool(device);
  if (watch::HostWatch* watch = host_watch()) watch->make_room(device_of_pool(handle), bytes);
  Pools& all = pools();
  Memory& memory = Runtime::get().memory;
  const std::lock_guard lock(all.mutex);
  Pool& pool = all.find(handle);
  require(pool.max_bytes == 0 || pool.used + bytes <= pool.max_bytes, cudaErrorMemoryAllocation);
  void* taken = memory.allocate_on(pool.device, bytes, MemoryKind::device);
  require(taken != nullptr, cudaErrorMemoryAllocation);
  memory.put_into_pool(taken, pool.reach);
  pool.grow(bytes);
  all.owners[taken] = {&pool, bytes};
  return {taken, bytes, handle};
}

AllocateCall take_for_graph(cudaMemPool_t handle, int device, std::size_t bytes) {
  if (handle == nullptr) handle = current_pool(device);
  Memory& memory = Runtime::get().memory;
  const std::lock_guard lock(pools().mutex);
  const Pool& pool = pools().find(handle);
  void* taken = memory.allocate_on(pool.device, bytes, MemoryKind::device);
  require(taken != nullptr, cudaErrorMemoryAllocation);
  memory.put_into_pool(taken, pool.reach);
  own_graph_memory(taken, pool.device, bytes);
  return {taken, bytes, handle};
}

void announce_release(void* memory) {
  const std::lock_guard lock(pools().mutex);
  require(pools().releasing.insert(memory).second);
}

void perform(const ReleaseCall& call) {
  if (is_graph_memory(call.memory) && !free_graph_memory(call.memory)) return;
  if (watch::HostWatch* watch = host_watch()) {
    {
      const std::lock_guard lock(pools().mutex);
      pools().uncount(call.memory);
    }
    watch->retire(release_to_pool);
  } else {
    release_to_pool(call.memory);
  }
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

}  // namespace aisp::sim
