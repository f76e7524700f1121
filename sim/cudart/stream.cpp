// The contract of streams that sim/cudart/task.hpp states.
#include "sim/cudart/stream.hpp"

#include "sim/cudart/capture.hpp"
#include "sim/cudart/event.hpp"
#include "sim/cudart/hazards.hpp"

namespace sim {
namespace {

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

// Nothing for host memory.
std::optional<int> device_of(const void* pointer) {
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(pointer));
  if (!found || found->kind == MemoryKind::pinned) return std::nullopt;
  return found->device;
}

// Events that a launch attribute asks for. The kernel's end is one legal moment for both.
void record_events(const std::vector<cudaLaunchAttribute>& attributes, Stream& stream) {
  for (const cudaLaunchAttribute& attribute : attributes) {
    if (attribute.id == cudaLaunchAttributeProgrammaticEvent)
      record_event(event_of(attribute.val.programmaticEvent.event), stream);
    if (attribute.id == cudaLaunchAttributeLaunchCompletionEvent)
      record_event(event_of(attribute.val.launchCompletionEvent.event), stream);
  }
}

}  // namespace

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

Stream& Streams::create(int device, unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->id = next_id_++;
  stream->device = device;
  stream->flags = flags;
  stream->priority = priority;
  Stream& made = *stream;
  all_.emplace(&made, std::move(stream));
  return made;
}

void Streams::destroy(Stream& stream) {
  leave_capture(stream);
  // What has passed needs no waiting for, but the checker must know that it comes before.
  std::vector<MarkPtr>& orphans = orphans_[stream.device];
  if (Hazards::get() == nullptr)
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
  return *found->second;
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
    for (const int end : job.share.ends)
      if (end >= 0 && end != stream.device) queues.push_back(legacy_[end]);
  for (const Stream* queue : queues) {
    for (MarkPtr& mark : before(*queue)) job.after.push_back(std::move(mark));
    if (queue->legacy) orphans_[queue->device].clear();
  }
  job.priority = stream.priority;
  job.share.device = stream.device;
  const MarkPtr mark = Executor::get().submit(std::move(job));
  for (Stream* queue : queues) queue->tail = mark;
  return mark;
}

void require_permitted() { require(!Executor::inside(), cudaErrorNotPermitted); }

void place(Job& job, const Task& task, int device) {
  job.share.device = device;
  if (const auto* kernel = std::get_if<KernelCall>(&task.what)) {
    job.share.device = kernel->config.device;
    job.share.engine = Engine::compute;
    job.share.latency = launch_nanoseconds;
    job.share.multiprocessors = kernel->multiprocessors;
  }
  if (const auto* fill = std::get_if<FillCall>(&task.what)) {
    job.share.engine = Engine::compute;
    job.share.multiprocessors = multiprocessors_of(Runtime::get().model, fill->bytes());
  }
  const auto* copy = std::get_if<CopyCall>(&task.what);
  if (copy == nullptr) return;
  const auto to = device_of(copy->to), from = copy->staged ? std::nullopt : device_of(copy->from);
  if (!to || !from) {
    job.share.engine = to ? Engine::to_device : Engine::to_host;
  } else if (*to == *from) {
    job.share.engine = Engine::compute;
    job.share.multiprocessors = multiprocessors_of(Runtime::get().model, copy->bytes());
  } else {
    job.share.engine = Engine::peer;
    job.share.ends[0] = *from;
    job.share.ends[1] = *to;
  }
}

MarkPtr enqueue_task(Stream& stream, Task task) {
  Job job;
  place(job, task, stream.device);
  job.traced = trace::describe(job, task, stream);
  job.run = std::move(task.run);
  const auto* kernel = std::get_if<KernelCall>(&task.what);
  if (kernel != nullptr && kernel->programmatic) job.overlaps = {stream.tail};
  if (Hazards::get() != nullptr) {
    job.operation = hazards::describe(task, stream, 0);
    job.operation->asynchronous = !task.awaited;
  }
  return Streams::get().enqueue(stream, std::move(job));
}

cudaError_t submit(cudaStream_t handle, Task task) {
  const std::lock_guard lock(Runtime::get().mutex);
  require_permitted();
  Stream& stream = Streams::get().find(handle);
  require_no_implicit_capture(stream);
  const auto* kernel = std::get_if<KernelCall>(&task.what);
  require(kernel == nullptr || kernel->config.device == stream.device,
          cudaErrorInvalidResourceHandle);
  const auto attributes = kernel != nullptr ? kernel->attributes : decltype(kernel->attributes){};
  if (stream.capture)
    capture_task(stream, std::move(task));
  else
    enqueue_task(stream, std::move(task));
  record_events(attributes, stream);
  return cudaSuccess;
}

cudaError_t wait_stream(cudaStream_t handle) {
  std::vector<MarkPtr> marks;
  int device = 0;
  {
    const std::lock_guard lock(Runtime::get().mutex);
    require_permitted();
    Stream& stream = Streams::get().find(handle);
    device = stream.device;
    require_not_capturing(stream);
    require_no_implicit_capture(stream);
    marks = stream.legacy ? Streams::get().before(stream) : std::vector{stream.tail};
  }
  for (const MarkPtr& mark : marks) Executor::get().wait(mark);
  return Runtime::get().sticky(device);
}

cudaError_t wait_device(int device) {
  if (Executor::inside()) return cudaErrorNotPermitted;
  MarkPtr last;  // in the default stream, maybe another device's copy
  {
    const std::lock_guard lock(Runtime::get().mutex);
    last = Streams::get().default_tail(device);
  }
  Executor::get().wait_all(device);
  Executor::get().wait(last);
  return Runtime::get().sticky(device);
}

cudaError_t wait_device() { return wait_device(current_device()); }

cudaError_t wait_all_devices() {
  if (Executor::inside()) return cudaErrorNotPermitted;
  Executor::get().wait_all(-1);
  return Runtime::get().sticky();
}

bool capturing(cudaStream_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  return Streams::get().find(handle).capture != nullptr;
}

cudaError_t check_stream(cudaStream_t handle) {
  device_of_stream(handle);
  return cudaSuccess;
}

int device_of_stream(cudaStream_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  return Streams::get().find(handle).device;
}

}  // namespace sim
