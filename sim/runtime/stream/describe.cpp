#include "sim/runtime/stream/describe.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/refuse.hpp"
#include "sim/machine/names.hpp"
#include "sim/runtime/module/module.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

// Nothing for host memory.
std::optional<int> device_of(const void* pointer) {
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(pointer));
  if (!found || found->kind == MemoryKind::pinned) return std::nullopt;
  return found->device;
}

using Ranges = std::vector<watch::TouchedRange>;

const char* kind_of_memory(const void* pointer) {
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

bool is_of_host(const Allocation& allocation) {
  return allocation.kind == MemoryKind::pinned || allocation.kind == MemoryKind::managed;
}

// Whether a parameter points to memory that the host can reach, or the module has variables that
// are such memory.
bool reaches_host(const KernelCall& call) {
  if (call.kernel->module->has_managed()) return true;
  const auto table = Runtime::get().memory.table();
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= call.params.size(); at += 8) {
    std::uint64_t address = 0;
    std::memcpy(&address, call.params.data() + at, sizeof address);
    const auto behind = std::upper_bound(
        table->begin(), table->end(), address,
        [](std::uint64_t one, const Allocation& other) { return one < other.base; });
    if (behind != table->begin() && address < std::prev(behind)->end() &&
        is_of_host(*std::prev(behind)))
      return true;
  }
  return false;
}

void fill_in(watch::StreamOperation& operation, const KernelCall& call) {
  operation.kind = watch::OperationKind::kernel;
  operation.kernel = readable_name(call.kernel->name);
  operation.what = "kernel " + shown_name(call.kernel->name);
  operation.reaches_host = reaches_host(call);
}

void fill_in(watch::StreamOperation& operation, const CopyCall& call) {
  operation.kind = watch::OperationKind::copy;
  operation.what = base::say("copy of ", call.bytes(), " bytes from ",
                             call.staged ? "host" : kind_of_memory(call.from), " to ",
                             kind_of_memory(call.to), " memory");
  operation.touched.writes =
      rows(call.to, call.width, call.height, call.depth, call.to_pitch, call.to_plane);
  if (!call.staged)
    operation.touched.reads =
        rows(call.from, call.width, call.height, call.depth, call.from_pitch, call.from_plane);
}

void fill_in(watch::StreamOperation& operation, const FillCall& call) {
  operation.kind = watch::OperationKind::fill;
  operation.what = base::say("cudaMemset of ", call.bytes(), " bytes");
  operation.touched.writes =
      rows(call.to, call.width * call.element, call.height, call.depth, call.pitch, call.plane);
}

void fill_in(watch::StreamOperation& operation, const HostCall&) {
  operation.kind = watch::OperationKind::host;
  operation.what = "host function";
}

void fill_in(watch::StreamOperation& operation, const AllocateCall& call) {
  operation.kind = watch::OperationKind::allocate;
  operation.what = base::say("cudaMallocAsync of ", call.bytes, " bytes");
  operation.touched.writes = rows(call.memory, call.bytes, 1, 1, 0, 0);
}

void fill_in(watch::StreamOperation& operation, const ReleaseCall& call) {
  operation.kind = watch::OperationKind::release;
  operation.what = "cudaFreeAsync";
  operation.memory = call.memory;
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(call.memory));
  if (found) operation.touched.writes.push_back({found->base, found->end(), 0});
}

void fill_in(watch::StreamOperation&, std::monostate) {}

std::string name_of(const Stream& stream) {
  const std::string name = stream.legacy ? "the default stream" : base::say("stream ", stream.id);
  const bool several = Runtime::get().model.devices > 1;
  return several ? base::say(name, " of device ", stream.device) : name;
}

// Whether the trace shows it.
struct Describer {
  trace::Interval& interval;
  Engine engine;

  bool operator()(const KernelCall& call) const {
    interval.engine = "compute";
    interval.kernel = call.kernel->name;
    return true;
  }
  bool operator()(const CopyCall& call) const {
    interval.engine = engine == Engine::to_device ? "to device"
                      : engine == Engine::to_host ? "to host"
                      : engine == Engine::peer    ? "peer"
                                                  : "device copy";
    interval.bytes = call.bytes();
    return true;
  }
  bool operator()(const FillCall& call) const {
    interval.engine = "fill";
    interval.bytes = call.bytes();
    return true;
  }
  bool operator()(const HostCall&) const {
    interval.engine = "host function";
    return true;
  }
  bool operator()(const auto&) const { return false; }
};

}  // namespace

EngineUse engine_use_of(const Task& task, int device) {
  EngineUse use{.device = device};
  if (const auto* kernel = std::get_if<KernelCall>(&task.what)) {
    use.device = kernel->config.device;
    use.engine = Engine::compute;
    use.latency = launch_nanoseconds;
    use.multiprocessors = kernel->multiprocessors;
    use.part = kernel->part;
    use.kernel = true;
  }
  if (const auto* fill = std::get_if<FillCall>(&task.what)) {
    use.engine = Engine::compute;
    use.multiprocessors = multiprocessors_of(Runtime::get().model, fill->bytes());
  }
  const auto* copy = std::get_if<CopyCall>(&task.what);
  if (copy == nullptr) return use;
  const auto to = device_of(copy->to), from = copy->staged ? std::nullopt : device_of(copy->from);
  if (!to || !from) {
    use.engine = to ? Engine::to_device : Engine::to_host;
  } else if (*to == *from) {
    use.engine = Engine::compute;
    use.multiprocessors = multiprocessors_of(Runtime::get().model, copy->bytes());
  } else {
    use.engine = Engine::peer;
    use.ends[0] = *from;
    use.ends[1] = *to;
  }
  return use;
}

watch::StreamOperationPtr operation_of(const Task& task, const Stream& stream,
                                       std::uint64_t graph) {
  auto operation = std::make_shared<watch::StreamOperation>();
  operation->stream_name = name_of(stream);
  operation->stream = stream.id;
  operation->device = stream.device;
  operation->default_stream = stream.legacy;
  operation->non_blocking = !stream.legacy && !stream.blocking();
  operation->graph = graph;
  std::visit([&](const auto& call) { fill_in(*operation, call); }, task.what);
  return operation;
}

trace::IntervalPtr interval_of(const EngineUse& use, const Task& task, const Stream& stream) {
  trace::IntervalPtr interval = trace::begin_interval();
  if (!interval || !std::visit(Describer{*interval, use.engine}, task.what)) return nullptr;
  interval->device = use.device;
  interval->stream = stream.id;
  return interval;
}

}  // namespace aisp::sim
