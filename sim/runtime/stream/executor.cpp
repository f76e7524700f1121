#include "sim/runtime/stream/executor.hpp"

#include <algorithm>
#include <exception>
#include <thread>

#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/state/settings.hpp"
#include "sim/runtime/stream/other_threads.hpp"
#include "sim/watch/host/page_guards.hpp"

namespace aisp::sim {

namespace {

// For a program without a wait the executor is more patient: what the wait is for must not have run
// when it comes, however busy the machine is.
int patience_factor() { return environment("AISP_SIM_DROP_WAIT").empty() ? 1 : 100; }

// How soon what waits for a value that the host writes is asked again.
constexpr auto blocked_interval = std::chrono::microseconds(200);

thread_local bool inside_executor = false;
thread_local const QueuedJob* running_here = nullptr;  // the job that this thread runs

// Of the executor's threads this is now the one that runs something.
void has_turn() {
  if (host_watch() != nullptr) note_simulator_thread();
}

// Launches of this thread that run_what_reaches_host() is to run.
thread_local std::vector<MarkPtr> reaching_host;

// How long a host function may take before it counts as one that waits for the host, and a kernel
// that does not end.
constexpr auto function_patience = std::chrono::milliseconds(20);
constexpr auto kernel_patience = std::chrono::seconds(5);

// From when on the job may begin, as far as the mark is concerned.
double moment_after(const Job& job, const MarkPtr& mark) {
  const bool early =
      std::find(job.overlaps.begin(), job.overlaps.end(), mark) != job.overlaps.end();
  return early ? mark->early : mark->nanoseconds;
}

std::vector<watch::OrderNodePtr> nodes_of(const std::vector<MarkPtr>& marks) {
  std::vector<watch::OrderNodePtr> nodes;
  for (const MarkPtr& mark : marks)
    if (mark && mark->node) nodes.push_back(mark->node);
  return nodes;
}

}  // namespace

Executor& Executor::get() {
  static Executor* const executor = new Executor;
  return *executor;
}

Executor::Executor() : random_(Runtime::get().settings.seed), patience_factor_(patience_factor()) {
  std::thread([this] { loop(); }).detach();
}

bool Executor::inside() { return inside_executor; }

MarkPtr Executor::submit(Job submitted) {
  const std::lock_guard lock(mutex_);
  auto job = std::make_unique<QueuedJob>();
  static_cast<Job&>(*job) = std::move(submitted);
  job->sequence = next_sequence_++;
  if (!job->mark) job->mark = std::make_shared<Mark>();
  job->start = inside_executor ? 0 : host_now_;  // what the device asks for itself awaits no host
  trace::submitted(job->traced, job->sequence, host_now_);
  for (const MarkPtr& mark : job->after) {
    if (!mark) continue;
    if (mark->reached) {
      job->start = std::max(job->start, moment_after(*job, mark));
      job->cause.follow(mark->cause);
    } else {
      mark->dependents.push_back(job.get());
      ++job->missing;
    }
  }
  if (watch::HostWatch* watch = host_watch(); watch != nullptr && !job->mark->node)
    job->mark->node = watch->submitted(nodes_of(job->after), nodes_of(job->overlaps),
                                       job->operation, job->use.device, job->inside);
  job->after.clear();
  if (!inside_executor) {
    if (job->operation && job->operation->reaches_host) reaching_host.push_back(job->mark);
    last_ = Clock::now();
    if (pending_.empty()) first_ = last_;
    looking_ = false;
  }
  connections_.submitted(*job);
  MarkPtr mark = job->mark;
  if (job->missing == 0) make_ready(*job);
  pending_.emplace(job->sequence, std::move(job));
  // The first that is ready may come behind others that wait for what another process does.
  if (pending_.size() == 1 || ready_.size() == 1 || pending_.size() >= queue_depth)
    wake_.notify_one();
  return mark;
}

MarkPtr Executor::promise(const Job& job) {
  auto mark = std::make_shared<Mark>();
  if (watch::HostWatch* watch = host_watch())
    mark->node = watch->submitted(nodes_of(job.after), {}, nullptr, job.use.device, job.inside);
  return mark;
}

void Executor::wait(const MarkPtr& mark) {
  if (!mark) return;
  std::unique_lock lock(mutex_);
  if (!mark->reached) wait_until(lock, [&] { return mark->reached; });
  see(mark->nanoseconds);
  if (mark->node) learned(lock, mark->node->clock);
}

void Executor::learned(std::unique_lock<std::mutex>& lock, const watch::ChainClock& clock) {
  watch::HostWatch& watch = *host_watch();
  if (watch.host_knows(clock)) return;
  lock.unlock();
  hold_for_other_threads([&] {
    const std::lock_guard again(mutex_);
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [](const auto* over) { return !(*over)(); });
  });
  lock.lock();
  watch.host_waited(clock);
}

void Executor::wait_until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& over) {
  const auto me = waiting_.insert(waiting_.end(), &over);
  wake_.notify_one();
  done_.wait(lock, over);
  waiting_.erase(me);
}

void Executor::run_what_reaches_host() {
  if (reaching_host.empty()) return;
  const std::vector<MarkPtr> marks = std::exchange(reaching_host, {});
  watch::HostWatch& watch = *host_watch();
  std::unique_lock lock(mutex_);
  if (holds_back_ || gave_up_) return;
  const std::function<bool()> over = [&] {
    return watch.kernel_talks() || std::all_of(marks.begin(), marks.end(),
                                               [](const MarkPtr& mark) { return mark->reached; });
  };
  const auto me = waiting_.insert(waiting_.end(), &over);
  wake_.notify_one();
  const auto end = Clock::now() + kernel_patience;
  auto free_at = Clock::now();  // when no host function ran
  while (!done_.wait_for(lock, std::chrono::milliseconds(1), over)) {
    const auto now = Clock::now();
    if (!watch.in_host_function()) free_at = now;
    gave_up_ = now >= end;
    if (gave_up_ || now - free_at >= function_patience) break;
  }
  waiting_.erase(me);
}

bool Executor::reached(const MarkPtr& mark) {
  if (!mark) return true;
  std::unique_lock lock(mutex_);
  if (mark->reached) {
    see(mark->nanoseconds);
    if (mark->node) learned(lock, mark->node->clock);
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

void Executor::wait_all(int device) {
  std::unique_lock lock(mutex_);
  const std::uint64_t last = next_sequence_;
  watch::HostWatch* const watch = host_watch();
  const watch::ChainClock submitted =
      watch != nullptr ? watch->everything(device) : watch::ChainClock();
  const auto over = [&] {
    for (const auto& [sequence, job] : pending_) {
      if (sequence >= last) return true;
      if (device < 0 || job->use.device == device) return false;
    }
    return true;
  };
  wait_until(lock, over);
  see(device < 0 ? Runtime::get().now() : ended_at_[device]);
  if (watch != nullptr) learned(lock, submitted);
}

double Executor::nanoseconds(const MarkPtr& mark) {
  const std::lock_guard lock(mutex_);
  return mark->nanoseconds;
}

double Executor::host_time() {
  const std::lock_guard lock(mutex_);
  return host_now_;
}

void Executor::between_jobs(const std::function<void()>& body) {
  std::exception_ptr thrown;
  Job job;
  job.even_if_lost = true;
  job.run = [&](double) {
    try {
      body();
    } catch (...) {
      thrown = std::current_exception();
    }
    return TaskResult{};
  };
  wait(submit(std::move(job)));
  if (thrown) std::rethrow_exception(thrown);
}

void Executor::hold_back(const MarkPtr& mark) {
  const std::lock_guard lock(mutex_);
  holds_back_ = true;
  // A job comes after jobs of smaller numbers alone: one walk from the newest finds all of them.
  for (auto at = pending_.rbegin(); at != pending_.rend(); ++at) {
    const Mark& reached = *at->second->mark;
    at->second->held_back |=
        &reached == mark.get() || std::any_of(reached.dependents.begin(), reached.dependents.end(),
                                              [](const QueuedJob* job) { return job->held_back; });
  }
}

void Executor::see(double nanoseconds) {
  trace::host_waited(host_now_, nanoseconds);
  host_now_ = std::max(host_now_, nanoseconds);
}

void Executor::loop() {
  inside_executor = true;
  if (host_watch() != nullptr) watch::PageGuards::mark_simulator_thread();
  std::unique_lock lock(mutex_);
  has_turn();
  for (;;) {
    ask_blocked();
    if (!polling_.empty() && turn_of_polling())
      resume_polling(lock);
    else if (!polling_.empty())
      run(lock, choose());
    else if (ready_.empty() && !blocked_.empty())
      wake_.wait_for(lock, blocked_interval);
    else if (ready_.empty())
      wake_.wait(lock);
    else if (!may_choose())
      wake_.wait_until(lock, patience());
    else
      run(lock, choose());
  }
}

// The kernel stays where it is, on this thread's stack, and another thread goes on with the rest.
bool Executor::let_others_run() {
  std::unique_lock lock(mutex_);
  ask_blocked();
  const QueuedJob* const own = running_here;
  Polling self{.job = own, .wake = {}};
  polling_.push_back(&self);
  if (polling_.size() == 1 && !any_fits()) {
    polling_.clear();
  } else {
    if (spare_ == 0) std::thread([this] { loop(); }).detach();
    turn_is_free_ = spare_ != 0;
    spare_wake_.notify_one();
    self.wake.wait(lock, [&] { return self.goes_on; });
    has_turn();
    set_current_device(own->use.device);
    if (own->operation) host_watch()->goes_on(own->operation);
  }
  const Runtime& runtime = Runtime::get();
  for (int device = 0; device < runtime.model.devices; ++device)
    if (runtime.sticky(device) != cudaSuccess) return false;
  return true;
}

void Executor::resume_polling(std::unique_lock<std::mutex>& lock) {
  Polling* const next = polling_.front();
  polling_.pop_front();
  next->goes_on = true;
  next->wake.notify_one();
  ++spare_;
  spare_wake_.wait(lock, [&] { return turn_is_free_; });
  turn_is_free_ = false;
  --spare_;
  has_turn();
}

void Executor::make_ready(QueuedJob& job) {
  if (job.when)
    blocked_.push_back(&job);
  else
    ready_.emplace(job.sequence, &job);
}

void Executor::ask_blocked() {
  std::erase_if(blocked_, [&](QueuedJob* job) {
    if (!job->when()) return false;
    ready_.emplace(job->sequence, job);
    return true;
  });
}

void Executor::run(std::unique_lock<std::mutex>& lock, QueuedJob& job) {
  Runtime& runtime = Runtime::get();
  set_current_device(job.use.device);
  ready_.erase(job.sequence);
  const double start = start_of(job);
  connections_.began(job, start);
  double end = start;
  bool let_dependents_launch = false;
  running_here = &job;
  lock.unlock();
  bool runs = runtime.sticky() == cudaSuccess;
  for (const int other : job.use.ends)
    if (other >= 0) runs &= runtime.sticky(other) == cudaSuccess;
  runs |= job.even_if_lost;
  if (job.operation) host_watch()->begins(job.operation);
  if (is_function(job)) ++function_starts_;
  try {
    if (runs && job.run) {
      const TaskResult result = job.run(start);
      end = start + result.nanoseconds;
      let_dependents_launch = result.let_dependents_launch;
    }
  } catch (...) {
    runtime.lose_device(error_of_exception());
  }
  if (job.operation) host_watch()->ended(job.operation, runs);
  job.operation.reset();
  job.run = nullptr;  // what it holds may be freed by that, which takes other locks
  lock.lock();
  engines_.take(job.use, start, end);
  double& ended_at = ended_at_[job.use.device];
  ended_at = std::max(ended_at, end);
  runtime.advance_to(end);
  trace::ran(job.traced, start, end, job.cause);
  job.mark->nanoseconds = end;
  // The next launch's latency is over when this kernel is.
  job.mark->early = let_dependents_launch ? std::max(start, end - launch_nanoseconds) : end;
  finish(job);
}

void Executor::finish(QueuedJob& job) {
  const MarkPtr mark = job.mark;
  mark->reached = true;
  mark->cause = job.traced ? trace::Cause{job.sequence, mark->nanoseconds} : job.cause;
  for (QueuedJob* dependent : mark->dependents) {
    dependent->start = std::max(dependent->start, moment_after(*dependent, mark));
    dependent->cause.follow(mark->cause);
    if (--dependent->missing == 0) make_ready(*dependent);
  }
  mark->dependents.clear();
  pending_.erase(job.sequence);
  if (!waiting_.empty()) done_.notify_all();
}

}  // namespace aisp::sim
