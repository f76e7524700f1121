// The contract of streams that sim/cudart/task.hpp states.
#include "sim/cudart/stream.hpp"

#include "sim/cudart/capture.hpp"
#include "sim/cudart/event.hpp"
#include "sim/cudart/hazards.hpp"

namespace sim {
namespace {

// Gone with its thread; work it still has is kept as that of any destroyed stream.
struct PerThreadStream {
  Stream* stream = nullptr;
  ~PerThreadStream() {
    if (stream == nullptr) return;
    const std::lock_guard lock(Runtime::get().mutex);
    Streams::get().destroy(*stream);
    stream = nullptr;
  }
};
thread_local PerThreadStream per_thread;

bool pageable_or_pinned(const void* pointer) {
  const auto found = Runtime::get().memory.find(reinterpret_cast<std::uint64_t>(pointer));
  return !found || found->kind == MemoryKind::pinned;
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
  legacy_ = &create(0, 0);
  legacy_->legacy = true;
}

Stream& Streams::create(unsigned flags, int priority) {
  auto stream = std::make_unique<Stream>();
  stream->id = next_id_++;
  stream->flags = flags;
  stream->priority = priority;
  Stream& made = *stream;
  all_.emplace(&made, std::move(stream));
  return made;
}

void Streams::destroy(Stream& stream) {
  leave_capture(stream);
  // What has passed needs no waiting for, but the checker must know that it comes before.
  if (Hazards::get() == nullptr)
    std::erase_if(orphans_, [](const MarkPtr& mark) { return Executor::get().passed(mark); });
  if (stream.blocking() && stream.tail) orphans_.push_back(stream.tail);
  all_.erase(&stream);
}

Stream& Streams::of_this_thread() {
  if (per_thread.stream == nullptr) per_thread.stream = &create(0, 0);
  return *per_thread.stream;
}

Stream& Streams::find(cudaStream_t handle) {
  if (handle == cudaStreamPerThread || (handle == nullptr && PerThreadDefault::active()))
    return of_this_thread();
  if (handle == nullptr || handle == cudaStreamLegacy) return *legacy_;
  const auto found = all_.find(reinterpret_cast<const Stream*>(handle));
  require(found != all_.end(), cudaErrorInvalidResourceHandle);
  return *found->second;
}

std::vector<MarkPtr> Streams::before(const Stream& stream) {
  std::vector<MarkPtr> marks{stream.tail};
  if (stream.blocking()) marks.push_back(legacy_->tail);
  if (!stream.legacy) return marks;
  for (const auto& [key, other] : all_)
    if (other->blocking() && other->tail) marks.push_back(other->tail);
  marks.insert(marks.end(), orphans_.begin(), orphans_.end());
  return marks;
}

MarkPtr Streams::enqueue(Stream& stream, Job job) {
  for (MarkPtr& mark : before(stream)) job.after.push_back(std::move(mark));
  if (stream.legacy) orphans_.clear();
  job.priority = stream.priority;
  stream.tail = Executor::get().submit(std::move(job));
  return stream.tail;
}

void require_permitted() { require(!Executor::inside(), cudaErrorNotPermitted); }

Engine engine_of(const Task& task) {
  if (std::holds_alternative<KernelCall>(task.what) || std::holds_alternative<FillCall>(task.what))
    return Engine::compute;
  const auto* copy = std::get_if<CopyCall>(&task.what);
  if (copy == nullptr) return Engine::none;
  if (pageable_or_pinned(copy->to)) return Engine::to_host;
  return copy->staged || pageable_or_pinned(copy->from) ? Engine::to_device : Engine::compute;
}

MarkPtr enqueue_task(Stream& stream, Task task) {
  Job job{.run = std::move(task.run), .engine = engine_of(task)};
  if (Hazards::get() != nullptr) {
    job.operation = hazards::describe(task, stream, 0);
    job.operation->asynchronous = !task.awaited;
    const auto* kernel = std::get_if<KernelCall>(&task.what);
    if (kernel != nullptr && kernel->programmatic) job.overlaps = {stream.tail};
  }
  return Streams::get().enqueue(stream, std::move(job));
}

cudaError_t submit(cudaStream_t handle, Task task) {
  const std::lock_guard lock(Runtime::get().mutex);
  require_permitted();
  Stream& stream = Streams::get().find(handle);
  require_no_implicit_capture(stream);
  const auto* kernel = std::get_if<KernelCall>(&task.what);
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
  {
    const std::lock_guard lock(Runtime::get().mutex);
    require_permitted();
    Stream& stream = Streams::get().find(handle);
    require_not_capturing(stream);
    require_no_implicit_capture(stream);
    marks = stream.legacy ? Streams::get().before(stream) : std::vector{stream.tail};
  }
  for (const MarkPtr& mark : marks) Executor::get().wait(mark);
  return Runtime::get().sticky();
}

cudaError_t wait_device() {
  if (Executor::inside()) return cudaErrorNotPermitted;
  Executor::get().wait_all();
  return Runtime::get().sticky();
}

bool capturing(cudaStream_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  return Streams::get().find(handle).capture != nullptr;
}

cudaError_t check_stream(cudaStream_t handle) {
  const std::lock_guard lock(Runtime::get().mutex);
  Streams::get().find(handle);
  return cudaSuccess;
}

}  // namespace sim
