#include "sim/runtime/stream/memory_operation.hpp"

#include <atomic>
#include <map>

#include "sim/runtime/memory/pointer.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/streams.hpp"

namespace aisp::sim {
namespace {

using Kind = ValueOperation::Kind;

// Host threads and kernels may use the value at the same time.
std::uint64_t read_value(const ValueOperation& operation) {
  if (operation.wide)
    return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(operation.address)).load();
  return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(operation.address)).load();
}

bool fits(const ValueOperation& operation) {
  const std::uint64_t now = read_value(operation), wanted = operation.value;
  switch (operation.kind) {
    case Kind::at_least:  // of numbers that may wrap around
      return operation.wide
                 ? static_cast<std::int64_t>(now - wanted) >= 0
                 : static_cast<std::int32_t>(static_cast<std::uint32_t>(now - wanted)) >= 0;
    case Kind::equal:
      return now == wanted;
    case Kind::any_bit_of:
      return (now & wanted) != 0;
    case Kind::not_all_ones_with: {
      const std::uint64_t neither = ~(now | wanted);
      return operation.wide ? neither != 0 : static_cast<std::uint32_t>(neither) != 0;
    }
    default:
      return true;
  }
}

template <class Word>
void write_word(const ValueOperation& operation) {
  std::atomic_ref(*reinterpret_cast<Word*>(operation.address))
      .store(static_cast<Word>(operation.value));
}

// Who wrote a value last, for the hazard checker: a wait for it comes after that.
std::map<std::uint64_t, MarkPtr>& value_writers() {
  static auto* const all = new std::map<std::uint64_t, MarkPtr>;
  return *all;
}

bool waits(const ValueOperation& operation) { return operation.kind != Kind::write; }

// On the executor's thread.
void perform_value(const ValueOperation& operation, const MarkPtr& mark) {
  if (!waits(operation)) {
    if (operation.wide)
      write_word<std::uint64_t>(operation);
    else
      write_word<std::uint32_t>(operation);
    if (host_watch() != nullptr) value_writers()[operation.address] = mark;
  } else if (watch::HostWatch* watch = host_watch()) {
    const auto writer = value_writers().find(operation.address);
    watch->found_value(mark->node,
                       writer == value_writers().end() ? nullptr : writer->second->node);
  }
}

}  // namespace

void submit_values(cudaStream_t handle, const std::vector<ValueOperation>& operations) {
  for (const ValueOperation& operation : operations) {
    const std::size_t bytes = operation.wide ? 8 : 4;
    require(operation.address % bytes == 0);
    require_device(reinterpret_cast<const void*>(operation.address), bytes);
  }
  const std::lock_guard lock(Runtime::get().mutex);
  require_permitted();
  Stream& stream = Streams::get().find(handle);
  require_not_capturing(stream);
  require_no_implicit_capture(stream);
  for (const ValueOperation& operation : operations) {
    Job job;
    const auto mark = std::make_shared<Mark>();
    const int device = stream.device;
    job.mark = mark;
    job.run = [operation, mark](double) {
      perform_value(operation, mark);
      return TaskResult{};
    };
    if (waits(operation))
      job.when = [operation, device] {
        return Runtime::get().sticky(device) != cudaSuccess || fits(operation);
      };
    Streams::get().enqueue(stream, std::move(job));
  }
}

}  // namespace aisp::sim
