// The one executor of all devices: jobs with what they come after, run one at a time by a thread of
// its own. Which of the ready ones is next is the order setting's choice. A kernel that polls
// memory stays on its thread while another thread runs what it may be waiting for: still one at a
// time.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <vector>

#include "sim/runtime/stream/connections.hpp"
#include "sim/runtime/stream/job.hpp"

namespace aisp::sim {

class Executor {
 public:
  static Executor& get();  // never destroyed

  MarkPtr submit(Job job);
  // A mark that a job is to reach which is not known yet: for what is decided while the device
  // runs. `job` says what it comes after.
  MarkPtr promise(const Job& job);
  // Both let the executor begin and move the host's simulated time on to what they saw.
  void wait(const MarkPtr& mark);
  bool reached(const MarkPtr& mark);
  bool passed(const MarkPtr& mark);         // reached, without the effects
  void wait_all(int device);                // for everything submitted so far; -1: to any device
  double nanoseconds(const MarkPtr& mark);  // of a reached one
  double host_time();                       // nanoseconds: what the host has seen

  // Runs it while no job does, and throws what it throws. The host learns nothing by that.
  void between_jobs(const std::function<void()>& body);

  // For a program without a wait (AISP_SIM_DROP_WAIT): what reaches the mark, and all that it comes
  // after, runs from now on only when nothing else can.
  void hold_back(const MarkPtr& mark);

  // For the hazard checker: a kernel that is handed memory of the host runs when it is launched,
  // because what it touches is known only when it has run, and the host may touch it next. Returns
  // before that when a kernel or host function seems to wait for the host.
  void run_what_reaches_host();

  // Of a kernel all of whose blocks poll memory: lets another job run, if one is ready and fits on
  // the device beside those that poll, or goes on with another kernel that polls. False: a device
  // is lost, and nobody may ever write what it polls.
  bool let_others_run();

  // In a host function: most of the API is not permitted there.
  static bool inside();

 private:
  using Clock = std::chrono::steady_clock;
  Executor();
  ~Executor() = delete;
  void loop();
  void wait_until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& over);
  bool may_choose() const;
  bool host_waits() const;
  bool is_postponed(const QueuedJob& job) const;
  Clock::time_point patience() const;
  QueuedJob& choose();
  bool may_begin(const QueuedJob& job) const;
  double start_of(const QueuedJob& job) const;
  void make_ready(QueuedJob& job);
  void ask_blocked();  // which of those that wait for something else may go on
  void run(std::unique_lock<std::mutex>& lock, QueuedJob& job);
  // A kernel that has stopped in the middle, because it polls.
  struct Polling {
    const QueuedJob* job = nullptr;
    bool goes_on = false;
    std::condition_variable wake;
  };
  bool fits(const QueuedJob& job) const;  // beside the kernels that poll
  bool any_fits() const;
  bool turn_of_polling();  // rather than that of a job that has not begun
  void resume_polling(std::unique_lock<std::mutex>& lock);
  void finish(QueuedJob& job);
  void see(double nanoseconds);  // moves the host's simulated time on
  // The calling host thread has waited for this: tells the hazard checker.
  void learned(std::unique_lock<std::mutex>& lock, const watch::ChainClock& clock);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::map<std::uint64_t, std::unique_ptr<QueuedJob>> pending_;  // by sequence
  std::map<std::uint64_t, QueuedJob*> ready_;
  std::vector<QueuedJob*> blocked_;  // that only Job::when keeps from being ready
  std::uint64_t next_sequence_ = 1, choices_ = 0;
  std::list<const std::function<bool()>*> waiting_;  // host threads: whether their wait is over
  bool looking_ = false;                // a host thread asked since the last submission
  Clock::time_point first_{}, last_{};  // submission, since nothing was pending
  double host_now_ = 0;                 // nanoseconds: what the host has seen
  Engines engines_;
  std::deque<Polling*> polling_;        // the one that has waited for its turn longest first
  std::condition_variable spare_wake_;  // threads of the executor that have nothing to run
  int spare_ = 0;
  bool turn_is_free_ = false;  // for one of them
  Connections connections_;
  double ended_at_[most_devices] = {};  // the last of each device
  std::mt19937_64 random_;
  bool holds_back_ = false;  // some job is or was held back
  bool gave_up_ = false;     // run_what_reaches_host(), on a kernel that did not end
  int patience_factor_;
  std::atomic<int> function_starts_{0};  // of host functions, under the hazard checker
};

}  // namespace aisp::sim
