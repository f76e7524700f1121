#include "sim/runtime/stream/streams.hpp"

#include <utility>

#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/stream/capture.hpp"
#include "sim/runtime/stream/describe.hpp"

namespace aisp::sim {
namespace {

thread_local bool per_thread_default = false;

// One per device, gone with their thread; work they still have is kept as that of any destroyed
// stream.
struct PerThreadStreams {
  Stream* streams[most_devices] = {};
  ~PerThreadStreams() {
    for (Stream*& stream : streams) {
      if (stream == nullptr) continue;
      const std::lock_guard lock(Runtime::get().mutex);
      Streams::get().destroy(*stream);
      stream = nullptr;
    }
  }
};
thread_local PerThreadStreams per_thread;

}  // namespace

PerThreadDefault::PerThreadDefault() : before_(std::exchange(per_thread_default, true)) {}
PerThreadDefault::~PerThreadDefault() { per_thread_default = before_; }
bool PerThreadDefault::active() { return per_thread_default; }

Streams& Streams::get() {
  static Streams* const streams = new Streams;
  return *streams;
}

Streams::Streams() {
  for (int device = 0; device < Runtime::get().model.devices; ++device) {
    legacy_[device] = &create(device, 0, 0);
    legacy_[device]->legacy = true;
  }
}

Stream& Streams::create(int device, unsigned flags, int priority, const Context* green) {
  auto stream = std::make_unique<Stream>();
  stream->id = next_id_++;
  stream->device = device;
  stream->flags = flags;
  stream->priority = priority;
  stream->green = green;
  Stream& made = *stream;
  all_.emplace(&made, std::move(stream));
  if (const auto marks = awaited_.find(green); green != nullptr && marks != awaited_.end())
    enqueue(made, Job{.run = nullptr, .after = marks->second});
  return made;
}

void Streams::destroy(Stream& stream) {
  leave_capture(stream);
  // What has passed needs no waiting for, but the checker must know that it comes before.
  std::vector<MarkPtr>& orphans = orphans_[stream.device];
  if (host_watch() == nullptr)
    std::erase_if(orphans, [](const MarkPtr& mark) { return Executor::get().passed(mark); });
  if (stream.blocking() && stream.tail) orphans.push_back(stream.tail);
  all_.erase(&stream);
}

Stream& Streams::of_this_thread() {
  Stream*& stream = per_thread.streams[current_device()];
  if (stream == nullptr) stream = &create(current_device(), 0, 0);
  return *stream;
}

Stream& Streams::find(cudaStream_t handle) {
  if (handle == cudaStreamPerThread || (handle == nullptr && PerThreadDefault::active()))
    return of_this_thread();
  if (handle == nullptr || handle == cudaStreamLegacy) return *legacy_[current_device()];
  const auto found = all_.find(reinterpret_cast<const Stream*>(handle));
  require(found != all_.end(), cudaErrorInvalidResourceHandle);
  const Context* green = found->second->green;
  require(green == nullptr || green->alive, cudaErrorContextIsDestroyed);
  return *found->second;
}

std::vector<Stream*> Streams::of(const Context& context) {
  std::vector<Stream*> found;
  const Context* const green = context.part ? &context : nullptr;
  for (const auto& [key, stream] : all_)
    if (stream->device == context.device && stream->green == green) found.push_back(stream.get());
  return found;
}

std::vector<MarkPtr> Streams::before(const Stream& stream) {
  std::vector<MarkPtr> marks{stream.tail};
  if (stream.blocking()) marks.push_back(legacy_[stream.device]->tail);
  if (!stream.legacy) return marks;
  for (const auto& [key, other] : all_)
    if (other->blocking() && other->tail && other->device == stream.device)
      marks.push_back(other->tail);
  const std::vector<MarkPtr>& orphans = orphans_[stream.device];
  marks.insert(marks.end(), orphans.begin(), orphans.end());
  return marks;
}

MarkPtr Streams::enqueue(Stream& stream, Job job) {
  std::vector<Stream*> queues{&stream};
  if (stream.legacy)
    for (const int end : job.use.ends)
      if (end >= 0 && end != stream.device) queues.push_back(legacy_[end]);
  for (const Stream* queue : queues) {
    for (MarkPtr& mark : before(*queue)) job.after.push_back(std::move(mark));
    if (queue->legacy) orphans_[queue->device].clear();
  }
  job.priority = stream.priority;
  job.use.device = stream.device;
  const MarkPtr mark = Executor::get().submit(std::move(job));
  for (Stream* queue : queues) queue->tail = mark;
  return mark;
}

std::shared_ptr<const DevicePart> part_of_stream(const Stream& stream) {
  if (stream.green != nullptr) return stream.green->part;
  const bool is_default = stream.legacy || &stream == per_thread.streams[stream.device];
  const Context* const current = current_context();
  return is_default && current != nullptr ? current->part : nullptr;
}

std::shared_ptr<const DevicePart> part_of_stream(cudaStream_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  return part_of_stream(Streams::get().find(handle));
}

void require_permitted() { require(!Executor::inside(), cudaErrorNotPermitted); }

MarkPtr enqueue_task(Stream& stream, Task task) {
  Job job;
  job.use = engine_use_of(task, stream.device);
  if (job.use.engine == Engine::compute && !job.use.kernel) job.use.part = part_of_stream(stream);
  job.traced = interval_of(job.use, task, stream);
  job.connection = Connections::of_stream(stream.device, stream.id);
  job.run = std::move(task.run);
  const auto* kernel = std::get_if<KernelCall>(&task.what);
  if (kernel != nullptr && kernel->programmatic) job.overlaps = {stream.tail};
  if (host_watch() != nullptr) {
    job.operation = operation_of(task, stream, 0);
    job.operation->asynchronous = !task.awaited;
  }
  return Streams::get().enqueue(stream, std::move(job));
}

}  // namespace aisp::sim
