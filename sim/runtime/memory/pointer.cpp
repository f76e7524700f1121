#include "sim/runtime/memory/pointer.hpp"

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {

std::optional<Allocation> judge_range(const void* pointer, std::size_t bytes) {
  require(pointer != nullptr);
  const Memory& memory = Runtime::get().memory;
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  const auto allocation = memory.find(address);
  if (!allocation) {
    require(!memory.is_reserved(address));
    return std::nullopt;
  }
  require(bytes <= allocation->end() - address);
  return allocation;
}

Allocation require_device(const void* pointer, std::size_t bytes) {
  const auto allocation = judge_range(pointer, bytes);
  require(allocation.has_value());
  return *allocation;
}

void require_on(const void* pointer, int device) {
  require_ordinal(device);
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(pointer));
  require(!found || found->kind != MemoryKind::device || found->device == device);
}

std::size_t extent_of(std::size_t width, std::size_t height, std::size_t depth, std::size_t pitch,
                      std::size_t plane) {
  if (width == 0 || height == 0 || depth == 0) return 0;
  return (depth - 1) * plane + (height - 1) * pitch + width;
}

}  // namespace aisp::sim
