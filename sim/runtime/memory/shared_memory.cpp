#include "sim/runtime/memory/shared_memory.hpp"

#include <unistd.h>

#include <cstring>
#include <map>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

constexpr std::uint64_t range_align = 2 << 20;

std::uint64_t page_bytes() { return static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)); }

std::map<void*, FilePlace>& shared_here() {
  static auto* const all = new std::map<void*, FilePlace>;
  return *all;
}

struct OpenedMemory {
  std::uint64_t range = 0, bytes = 0, key = 0;
  int uses = 0;
};
std::map<void*, OpenedMemory>& opened_here() {
  static auto* const all = new std::map<void*, OpenedMemory>;
  return *all;
}

}  // namespace

FilePlace share_memory(void* pointer) {
  if (const auto known = shared_here().find(pointer); known != shared_here().end())
    return known->second;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const auto found = Runtime::get().memory.find(address);
  require(found && found->base == address && found->kind == MemoryKind::device && !found->pooled &&
          found->name.empty());
  // Allocations share no page.
  const std::uint64_t page = page_bytes(), first = address / page * page;
  const std::uint64_t bytes = (found->end() - first + page - 1) / page * page;
  FilePlace place = make_file(bytes);
  place.offset = address - first;
  place.used = found->bytes;
  place.device = static_cast<std::uint32_t>(found->device);
  void* elsewhere = map_file(place.file, bytes);
  require(elsewhere != nullptr, cudaErrorMemoryAllocation);
  std::memcpy(elsewhere, reinterpret_cast<void*>(first), bytes);
  require(map_file(place.file, bytes, reinterpret_cast<void*>(first)) != nullptr,
          cudaErrorMemoryAllocation);
  shared_here()[pointer] = place;
  return place;
}

void stop_sharing(void* pointer) {
  const auto known = shared_here().find(pointer);
  if (known == shared_here().end()) return;
  const FilePlace place = known->second;
  unmap_file_at(static_cast<std::byte*>(pointer) - place.offset, place.bytes);
  close(place.file);
  shared_here().erase(known);
}

void* open_shared(const FilePlace& place) {
  require(place.process != getpid(), cudaErrorDeviceUninitialized);
  for (auto& [pointer, opened] : opened_here())
    if (opened.key == place.key) {
      ++opened.uses;
      return pointer;
    }
  require(place.device < static_cast<std::uint32_t>(Runtime::get().model.devices),
          cudaErrorInvalidDevice);
  const int file = open_file(place);
  Memory& memory = Runtime::get().memory;
  const std::uint64_t range = memory.reserve_range(place.bytes, range_align);
  void* mapped = range != 0 ? map_file(file, place.bytes, reinterpret_cast<void*>(range)) : nullptr;
  close(file);
  require(mapped != nullptr, cudaErrorMapBufferObjectFailed);
  memory.expose(range + place.offset, place.used, static_cast<int>(place.device), ~0u, false);
  auto* pointer = reinterpret_cast<void*>(range + place.offset);
  opened_here()[pointer] = {range, place.bytes, place.key, 1};
  return pointer;
}

void close_shared(void* pointer) {
  const auto found = opened_here().find(pointer);
  require(found != opened_here().end());
  if (--found->second.uses > 0) return;
  Memory& memory = Runtime::get().memory;
  memory.conceal(reinterpret_cast<std::uint64_t>(pointer));
  unmap_file_at(reinterpret_cast<void*>(found->second.range), found->second.bytes);
  memory.release_range(found->second.range);
  opened_here().erase(found);
}

}  // namespace aisp::sim
