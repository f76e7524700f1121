#include "sim/runtime/memory/graph_memory.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

struct Piece {
  int device = 0;
  std::uint64_t bytes = 0;
  std::uint64_t id = 0;  // of the allocation
  bool awaits_free = false, in_use = false;
  bool freed_by_owner = false, freed_elsewhere = false;  // by nodes
  int holders = 0;
};

// What a launch took stays with the graphs, used or not, until it is trimmed.
struct DeviceBytes {
  std::uint64_t in_use = 0;  // by launches whose memory is not freed
  std::uint64_t held = 0, most_used = 0, most_reserved = 0;
};

struct GraphMemory {
  std::mutex mutex;
  std::map<const void*, Piece> pieces;
  DeviceBytes of_device[most_devices];

  Piece* find(const void* memory) {
    const auto found = pieces.find(memory);
    return found == pieces.end() ? nullptr : &found->second;
  }
  void begin(Piece& piece) {
    if (std::exchange(piece.in_use, true)) return;
    DeviceBytes& bytes = of_device[piece.device];
    bytes.in_use += piece.bytes;
    bytes.held = std::max(bytes.held, units(bytes.in_use));
    bytes.most_used = std::max(bytes.most_used, bytes.held);
    bytes.most_reserved = std::max(bytes.most_reserved, bytes.held);
  }
  void end(Piece& piece) {
    if (std::exchange(piece.in_use, false)) of_device[piece.device].in_use -= piece.bytes;
  }
  // Graphs take it from a device 32 MiB at a time, as on an H200.
  static std::uint64_t units(std::uint64_t bytes) {
    constexpr std::uint64_t unit = 32u << 20;
    return (bytes + unit - 1) / unit * unit;
  }
};

GraphMemory& graph_memory() {
  static auto* const all = new GraphMemory;
  return *all;
}

std::uint64_t allocation_id(const void* memory) {
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(memory));
  return found && found->base == reinterpret_cast<std::uint64_t>(memory) ? found->id : 0;
}

// The last node is gone. What a launch has allocated stays until it is freed.
void let_go(void* memory) {
  GraphMemory& all = graph_memory();
  bool is_there = false;
  {
    const std::lock_guard lock(all.mutex);
    Piece* piece = all.find(memory);
    if (piece == nullptr || --piece->holders != 0) return;
    Runtime::get().memory.bring_back(memory);
    // A reset of the device may have taken it, and something else may live there.
    is_there = allocation_id(memory) == piece->id;
    if (is_there && (piece->awaits_free || piece->in_use)) return;
    all.end(*piece);
    all.pieces.erase(memory);
  }
  if (is_there) Runtime::get().memory.release(memory);
}

}  // namespace

void own_graph_memory(void* memory, int device, std::size_t bytes) {
  const std::lock_guard lock(graph_memory().mutex);
  graph_memory().pieces[memory] = {device, bytes, allocation_id(memory)};
}

std::shared_ptr<void> hold_graph_memory(void* memory) {
  const std::lock_guard lock(graph_memory().mutex);
  Piece* piece = graph_memory().find(memory);
  if (piece == nullptr) return nullptr;
  ++piece->holders;
  return {memory, let_go};
}

void plan_free(void* memory, bool in_owning_graph) {
  const std::lock_guard lock(graph_memory().mutex);
  Piece* piece = graph_memory().find(memory);
  require(piece != nullptr);
  require(!piece->freed_by_owner && !(in_owning_graph && piece->freed_elsewhere));
  (in_owning_graph ? piece->freed_by_owner : piece->freed_elsewhere) = true;
}

bool is_graph_memory(const void* memory) {
  const std::lock_guard lock(graph_memory().mutex);
  return graph_memory().find(memory) != nullptr;
}

void expect_free(void* memory) {
  const std::lock_guard lock(graph_memory().mutex);
  Piece* piece = graph_memory().find(memory);
  if (piece == nullptr) return;
  piece->awaits_free = true;
  Runtime::get().memory.bring_back(memory);  // calls behind the launch may name it
}

void note_free(void* memory) {
  const std::lock_guard lock(graph_memory().mutex);
  if (Piece* piece = graph_memory().find(memory)) piece->awaits_free = false;
}

bool awaits_free(const void* memory) {
  const std::lock_guard lock(graph_memory().mutex);
  const Piece* piece = graph_memory().find(memory);
  return piece != nullptr && piece->awaits_free;
}

void begin_graph_memory(void* memory) {
  GraphMemory& all = graph_memory();
  const std::lock_guard lock(all.mutex);
  if (Piece* piece = all.find(memory)) {
    Runtime::get().memory.bring_back(memory);
    all.begin(*piece);
  }
}

void end_graph_memory(void* memory) {
  GraphMemory& all = graph_memory();
  const std::lock_guard lock(all.mutex);
  if (Piece* piece = all.find(memory)) all.end(*piece);
}

bool free_graph_memory(void* memory) {
  GraphMemory& all = graph_memory();
  const std::lock_guard lock(all.mutex);
  Piece* piece = all.find(memory);
  if (piece == nullptr) return false;
  all.end(*piece);
  if (piece->awaits_free) return false;  // launched again already
  if (piece->holders == 0) {
    all.pieces.erase(memory);
    return true;
  }
  Runtime::get().memory.set_aside(memory);
  return false;
}

std::uint64_t graph_memory_attribute(int device, cudaGraphMemAttributeType attribute) {
  const std::lock_guard lock(graph_memory().mutex);
  const DeviceBytes& bytes = graph_memory().of_device[device];
  switch (attribute) {
    case cudaGraphMemAttrUsedMemCurrent:
    case cudaGraphMemAttrReservedMemCurrent:
      return bytes.held;
    case cudaGraphMemAttrUsedMemHigh:
      return bytes.most_used;
    case cudaGraphMemAttrReservedMemHigh:
      return bytes.most_reserved;
    default:
      throw ApiError{cudaErrorInvalidValue};
  }
}

void reset_graph_memory_attribute(int device, cudaGraphMemAttributeType attribute,
                                  std::uint64_t value) {
  require(value == 0);
  const std::lock_guard lock(graph_memory().mutex);
  DeviceBytes& bytes = graph_memory().of_device[device];
  if (attribute == cudaGraphMemAttrUsedMemHigh)
    bytes.most_used = bytes.held;
  else if (attribute == cudaGraphMemAttrReservedMemHigh)
    bytes.most_reserved = bytes.held;
  else
    throw ApiError{cudaErrorInvalidValue};
}

void trim_graph_memory(int device) {
  const std::lock_guard lock(graph_memory().mutex);
  DeviceBytes& bytes = graph_memory().of_device[device];
  bytes.held = GraphMemory::units(bytes.in_use);
}

}  // namespace aisp::sim
