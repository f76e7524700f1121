#include "sim/cudart/stream_executor.hpp"

#include <algorithm>
#include <thread>

#include "sim/cudart/hazards.hpp"
#include "sim/cudart/hazards_guard.hpp"
#include "sim/cudart/runtime.hpp"

namespace sim {

struct QueuedJob : Job {
  MarkPtr mark;
  std::uint64_t sequence = 0;
  int missing = 0;   // marks that it waits for
  double start = 0;  // nanoseconds: not before
};

namespace {

// The executor begins when the host waits or asks, so that runs repeat. A host that watches plain
// memory instead must not hang: without a new submission it begins after `quiet`, with them after
// `longest`, and in any case when a real queue would be full.
constexpr auto quiet = std::chrono::milliseconds(2), longest = std::chrono::milliseconds(20);
constexpr std::size_t queue_depth = 1024;

// Newest first could leave the oldest for ever: every so many choices it has its turn.
constexpr std::uint64_t oldest_every = 64;

thread_local bool inside_executor = false;

}  // namespace

Executor& Executor::get() {
  static Executor* const executor = new Executor;
  return *executor;
}

Executor::Executor() : random_(Runtime::get().settings.seed) {
  std::thread([this] { loop(); }).detach();
}

bool Executor::inside() { return inside_executor; }

MarkPtr Executor::submit(Job submitted) {
  const std::lock_guard lock(mutex_);
  auto job = std::make_unique<QueuedJob>();
  static_cast<Job&>(*job) = std::move(submitted);
  job->sequence = next_sequence_++;
  job->mark = std::make_shared<Mark>();
  job->start = host_now_;
  for (const MarkPtr& mark : job->after) {
    if (!mark) continue;
    if (mark->reached) {
      job->start = std::max(job->start, mark->nanoseconds);
    } else {
      mark->dependents.push_back(job.get());
      ++job->missing;
    }
  }
  if (Hazards* hazards = Hazards::get())
    job->mark->node = hazards->submitted(job->after, job->overlaps, job->operation);
  job->after.clear();
  job->overlaps.clear();
  last_ = Clock::now();
  if (pending_.empty()) first_ = last_;
  looking_ = false;
  MarkPtr mark = job->mark;
  if (job->missing == 0) ready_.emplace(job->sequence, job.get());
  pending_.emplace(job->sequence, std::move(job));
  if (pending_.size() == 1 || pending_.size() >= queue_depth) wake_.notify_one();
  return mark;
}

void Executor::wait(const MarkPtr& mark) {
  if (!mark) return;
  std::unique_lock lock(mutex_);
  if (!mark->reached) {
    ++waiting_;
    wake_.notify_one();
    done_.wait(lock, [&] { return mark->reached; });
    --waiting_;
  }
  host_now_ = std::max(host_now_, mark->nanoseconds);
  if (Hazards* hazards = Hazards::get()) hazards->host_waited(mark);
}

bool Executor::reached(const MarkPtr& mark) {
  if (!mark) return true;
  const std::lock_guard lock(mutex_);
  if (mark->reached) {
    host_now_ = std::max(host_now_, mark->nanoseconds);
    if (Hazards* hazards = Hazards::get()) hazards->host_waited(mark);
    return true;
  }
  looking_ = true;
  wake_.notify_one();
  return false;
}

bool Executor::passed(const MarkPtr& mark) {
  const std::lock_guard lock(mutex_);
  return mark->reached;
}

void Executor::wait_all() {
  std::unique_lock lock(mutex_);
  const std::uint64_t last = next_sequence_;
  Hazards* const hazards = Hazards::get();
  const hazards::Clock submitted = hazards != nullptr ? hazards->everything() : hazards::Clock();
  const auto over = [&] { return pending_.empty() || pending_.begin()->first >= last; };
  ++waiting_;
  wake_.notify_one();
  done_.wait(lock, over);
  --waiting_;
  host_now_ = std::max(host_now_, Runtime::get().now());
  if (hazards != nullptr) hazards->host_waited(submitted);
}

double Executor::nanoseconds(const MarkPtr& mark) {
  const std::lock_guard lock(mutex_);
  return mark->nanoseconds;
}

Executor::Clock::time_point Executor::patience() const {
  return std::min(last_ + quiet, first_ + longest);
}

bool Executor::may_choose() const {
  return waiting_ > 0 || looking_ || pending_.size() >= queue_depth || Clock::now() >= patience();
}

void Executor::loop() {
  inside_executor = true;
  if (Hazards::get() != nullptr) hazards::Guards::mark_simulator_thread();
  std::unique_lock lock(mutex_);
  for (;;) {
    if (ready_.empty())
      wake_.wait(lock);
    else if (!may_choose())
      wake_.wait_until(lock, patience());
    else
      run(lock, choose());
  }
}

QueuedJob& Executor::choose() {
  const Order order = Runtime::get().settings.order;
  if (order == Order::random)
    return *std::next(ready_.begin(), static_cast<std::ptrdiff_t>(random_() % ready_.size()))
                ->second;
  if (order == Order::latest && ++choices_ % oldest_every == 0) return *ready_.begin()->second;
  QueuedJob* best = ready_.begin()->second;
  for (const auto& [sequence, job] : ready_)
    if (job->priority < best->priority ||
        (order == Order::latest && job->priority == best->priority))
      best = job;
  return *best;
}

void Executor::run(std::unique_lock<std::mutex>& lock, QueuedJob& job) {
  Runtime& runtime = Runtime::get();
  ready_.erase(job.sequence);
  double& free_at = free_at_[static_cast<int>(job.engine)];
  const double start = std::max(job.start, job.engine == Engine::none ? 0 : free_at);
  double end = start;
  lock.unlock();
  const bool runs = job.even_if_lost || runtime.sticky() == cudaSuccess;
  if (job.operation) Hazards::get()->begins(job.operation);
  try {
    if (runs && job.run) end = start + job.run(start).nanoseconds;
  } catch (...) {
    runtime.lose_device(error_of_exception());
  }
  if (job.operation) Hazards::get()->ended(job.operation, runs);
  job.operation.reset();
  job.run = nullptr;  // what it holds may be freed by that, which takes other locks
  lock.lock();
  free_at = end;
  runtime.advance_to(end);
  finish(job, end);
}

void Executor::finish(QueuedJob& job, double end) {
  const MarkPtr mark = job.mark;
  mark->reached = true;
  mark->nanoseconds = end;
  for (QueuedJob* dependent : mark->dependents) {
    dependent->start = std::max(dependent->start, end);
    if (--dependent->missing == 0) ready_.emplace(dependent->sequence, dependent);
  }
  mark->dependents.clear();
  pending_.erase(job.sequence);
  if (waiting_ > 0) done_.notify_all();
}

}  // namespace sim
