#include "sim/runtime/memory/pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "sim/runtime/memory/graph_memory.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint64_t reserve_unit = 32 << 20;  // pools grow by it
constexpr const char* pool_label = "pool:";       // process, number and device follow

std::uint64_t in_units(std::uint64_t bytes) {
  return (bytes + reserve_unit - 1) / reserve_unit * reserve_unit;
}

// Whose pool an imported one is.
struct PoolOrigin {
  std::int32_t process = 0;
  std::uint64_t id = 0;
  bool operator==(const PoolOrigin&) const = default;
};

struct Pool {
  int device = 0;
  std::uint32_t reach = 0;  // other devices that may touch its memory: a bit for each
  int follow_event_dependencies = 1, allow_opportunistic = 1, allow_internal_dependencies = 1;
  std::uint64_t release_threshold = 0;
  std::uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  std::uint64_t max_bytes = 0;       // 0: no limit
  std::uint64_t id = 0;              // of this process, for handles of its memory
  bool shareable = false;            // its handle may leave the process
  std::optional<PoolOrigin> origin;  // of another process's pool

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
  std::uint64_t last_id = 0;

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
  Pool& add() {
    created.push_back(std::make_unique<Pool>());
    created.back()->id = ++last_id;
    return *created.back();
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
  require(chosen.device == device && !chosen.origin);
  pools().current[device] = &chosen;
}

cudaMemPool_t create_pool(const cudaMemPoolProps& properties) {
  require(properties.allocType == cudaMemAllocationTypePinned);
  require_location(properties.location);
  const bool shareable = properties.handleTypes == cudaMemHandleTypePosixFileDescriptor;
  require(shareable || properties.handleTypes == cudaMemHandleTypeNone, cudaErrorNotSupported);
  const std::lock_guard lock(pools().mutex);
  Pool& pool = pools().add();
  pool.max_bytes = properties.maxSize;
  pool.device = properties.location.id;
  pool.shareable = shareable;
  return handle_of(&pool);
}

int export_pool(cudaMemPool_t handle) {
  const std::lock_guard lock(pools().mutex);
  const Pool& pool = pools().find(handle);
  require(pool.shareable && !pool.origin);
  std::ostringstream label;
  label << pool_label << getpid() << ':' << pool.id << ':' << pool.device;
  const int file = create_shareable(label.str(), 0);
  try {
    const int own = duplicate_for_program(file);
    close(file);
    return own;
  } catch (...) {
    close(file);
    throw;
  }
}

cudaMemPool_t import_pool(int descriptor) {
  const auto found = read_shareable(descriptor);
  require(found && found->label.starts_with(pool_label));
  std::istringstream label(found->label.substr(std::strlen(pool_label)));
  PoolOrigin origin;
  int device = 0;
  char colon = 0;
  require(static_cast<bool>(label >> origin.process >> colon >> origin.id >> colon >> device));
  const std::lock_guard lock(pools().mutex);
  Pool& pool = pools().add();
  pool.device = std::clamp(device, 0, Runtime::get().model.devices - 1);
  pool.origin = origin;
  return handle_of(&pool);
}

PooledPointer export_pooled(const void* pointer, const BetweenOperations& between_operations) {
  PooledPointer exported{};
  {
    const std::lock_guard lock(pools().mutex);
    const auto owner = pools().owners.find(const_cast<void*>(pointer));
    require(owner != pools().owners.end() && owner->second.first->shareable &&
            !pools().releasing.contains(owner->first));
    exported.pool = owner->second.first->id;
  }
  exported.memory = export_memory(pointer, between_operations, true);
  return exported;
}

void* import_pooled(cudaMemPool_t handle, const PooledPointer& exported) {
  std::uint32_t reach = 0;
  {
    const std::lock_guard lock(pools().mutex);
    const Pool& pool = pools().find(handle);
    require(pool.origin && *pool.origin == PoolOrigin{exported.memory.process, exported.pool});
    reach = pool.reach;
  }
  require(exported.memory.process != getpid());
  void* const memory = import_memory(exported.memory);
  const std::lock_guard lock(pools().mutex);
  Pool& pool = pools().find(handle);
  if (pools().owners.try_emplace(memory, &pool, exported.memory.bytes).second)
    pool.grow(exported.memory.bytes);
  Runtime::get().memory.put_into_pool(memory, reach);
  return memory;
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
  require(!pool.origin);  // memory comes from the process that has made it
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
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(memory));
  if (found) unshare_memory(found->base, found->bytes);
  Runtime::get().memory.release(memory);
}

void forget_in_pool(void* memory) {
  const std::lock_guard lock(pools().mutex);
  pools().uncount(memory);
  pools().releasing.erase(memory);
}

}  // namespace aisp::sim
