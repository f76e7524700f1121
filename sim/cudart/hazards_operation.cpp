#include "sim/cudart/hazards_operation.hpp"

#include "base/refuse.hpp"
#include "sim/cudart/module.hpp"
#include "sim/cudart/runtime.hpp"
#include "sim/cudart/stream.hpp"
#include "sim/launch/report.hpp"

namespace sim::hazards {
namespace {

using Ranges = std::vector<watch::TouchedRange>;

const char* place_of(const void* pointer) {
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(pointer));
  if (!found) return "host";
  switch (found->kind) {
    case MemoryKind::pinned:
      return "pinned";
    case MemoryKind::managed:
      return "managed";
    default:
      return "device";
  }
}

// `pitch` and `plane` in bytes, as `width` is.
Ranges rows(const void* pointer, std::size_t width, std::size_t height, std::size_t depth,
            std::size_t pitch, std::size_t plane) {
  Ranges ranges;
  const auto base = reinterpret_cast<std::uint64_t>(pointer);
  for (std::size_t z = 0; z < depth; ++z)
    for (std::size_t y = 0; y < height; ++y) {
      const std::uint64_t begin = base + z * plane + y * pitch;
      if (!ranges.empty() && ranges.back().end == begin)
        ranges.back().end = begin + width;
      else
        ranges.push_back({begin, begin + width, 0});
    }
  return ranges;
}

void fill_in(Operation& operation, const KernelCall& call) {
  operation.kind = Kind::kernel;
  operation.kernel = readable_name(call.kernel->name);
  operation.what = "kernel " + operation.kernel;
}

void fill_in(Operation& operation, const CopyCall& call) {
  operation.kind = Kind::copy;
  operation.what =
      base::say("copy of ", call.bytes(), " bytes from ",
                call.staged ? "host" : place_of(call.from), " to ", place_of(call.to), " memory");
  operation.touched.writes =
      rows(call.to, call.width, call.height, call.depth, call.to_pitch, call.to_plane);
  if (!call.staged)
    operation.touched.reads =
        rows(call.from, call.width, call.height, call.depth, call.from_pitch, call.from_plane);
}

void fill_in(Operation& operation, const FillCall& call) {
  operation.kind = Kind::fill;
  operation.what = base::say("cudaMemset of ", call.bytes(), " bytes");
  operation.touched.writes =
      rows(call.to, call.width * call.element, call.height, call.depth, call.pitch, call.plane);
}

void fill_in(Operation& operation, const HostCall&) {
  operation.kind = Kind::host;
  operation.what = "host function";
}

void fill_in(Operation& operation, const AllocateCall& call) {
  operation.kind = Kind::allocate;
  operation.what = base::say("cudaMallocAsync of ", call.bytes, " bytes");
  operation.touched.writes = rows(call.memory, call.bytes, 1, 1, 0, 0);
}

void fill_in(Operation& operation, const ReleaseCall& call) {
  operation.kind = Kind::release;
  operation.what = "cudaFreeAsync";
  operation.memory = call.memory;
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(call.memory));
  if (found) operation.touched.writes.push_back({found->base, found->end(), 0});
}

void fill_in(Operation&, std::monostate) {}

}  // namespace

OperationPtr describe(const Task& task, const Stream& stream, std::uint64_t graph) {
  auto operation = std::make_shared<Operation>();
  operation->device = stream.device;
  operation->stream = stream.id;
  operation->default_stream = stream.legacy;
  operation->non_blocking = !stream.legacy && !stream.blocking();
  operation->graph = graph;
  std::visit([&](const auto& call) { fill_in(*operation, call); }, task.what);
  return operation;
}

}  // namespace sim::hazards
