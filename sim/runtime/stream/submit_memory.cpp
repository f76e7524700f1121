#include "sim/runtime/stream/submit_memory.hpp"

#include "sim/runtime/memory/copy.hpp"
#include "sim/runtime/memory/fill.hpp"
#include "sim/runtime/memory/graph_memory.hpp"
#include "sim/runtime/memory/pointer.hpp"
#include "sim/runtime/memory/pool.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/stream/submit.hpp"

namespace aisp::sim {
namespace {

// Pageable sources up to this size are taken at the call, as the driver does; for larger ones the
// call waits, which it may do as well.
constexpr std::size_t staging_bytes = 1 << 16;

// The source in one piece.
std::shared_ptr<std::vector<std::byte>> take(const CopyCall& call) {
  const auto* from = static_cast<const std::byte*>(call.from);
  return std::make_shared<std::vector<std::byte>>(from, from + call.bytes());
}

bool one_piece(const CopyCall& call) { return call.height == 1 && call.depth == 1; }

}  // namespace

cudaError_t submit_copy(CopyCall call, cudaStream_t stream, bool wait) {
  judge(call);
  if (call.bytes() == 0) return check_stream(stream);
  const bool from_pageable = !judge_range(call.from, 1), to_pageable = !judge_range(call.to, 1);
  const bool synchronous = wait;
  const bool inside_device = !from_pageable && !to_pageable && call.kind != cudaMemcpyHostToHost;
  // A copy on the device is ordered by its stream alone, even the synchronous one.
  if (wait && inside_device && call.kind == cudaMemcpyDeviceToDevice) wait = false;
  if (!wait && !capturing(stream)) {
    if (from_pageable && !to_pageable && one_piece(call) && call.bytes() <= staging_bytes)
      call.staged = take(call);
    else
      wait = from_pageable || to_pageable;
  }
  Task task = make_task(std::move(call));
  task.awaited = wait || synchronous;
  const cudaError_t error = submit(stream, std::move(task));
  return error == cudaSuccess && wait ? wait_stream(stream) : error;
}

cudaError_t submit_fill(const FillCall& call, cudaStream_t stream, bool asynchronous) {
  judge(call);
  if (call.bytes() == 0) return check_stream(stream);
  const MemoryKind kind = require_device(call.to, 1).kind;
  const bool wait = !asynchronous && (kind == MemoryKind::pinned || kind == MemoryKind::managed);
  Task task = make_task(call);
  task.awaited = wait;
  const cudaError_t error = submit(stream, std::move(task));
  return error == cudaSuccess && wait ? wait_stream(stream) : error;
}

cudaError_t submit_allocation(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                              cudaStream_t stream) {
  const int device = device_of_stream(stream);
  *pointer = nullptr;
  if (bytes == 0) return cudaSuccess;
  const AllocateCall call =
      capturing(stream) ? take_for_graph(pool, device, bytes) : take_from_pool(pool, device, bytes);
  *pointer = call.memory;
  return submit(stream, make_task(call));
}

cudaError_t submit_release(void* pointer, cudaStream_t stream) {
  require(check_stream(stream));
  if (pointer == nullptr) return cudaSuccess;
  if (is_graph_memory(pointer)) {
    // A captured free is checked by its graph.
    require(capturing(stream) || awaits_free(pointer));
    if (!capturing(stream)) note_free(pointer);
  } else {
    require(!capturing(stream));  // a graph frees what a graph has allocated
    const auto address = reinterpret_cast<std::uint64_t>(pointer);
    const auto found = Runtime::get().memory.find(address);
    require(found && found->base == address && found->kind == MemoryKind::device);
    announce_release(pointer);
  }
  return submit(stream, make_task(ReleaseCall{pointer}));
}

}  // namespace aisp::sim
