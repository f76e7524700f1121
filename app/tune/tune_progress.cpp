#include "app/tune/tune_progress.hpp"

#include <chrono>

namespace aisp::app {

TuneProgress::TuneProgress(const lab::EntryPlan& entry, const std::string& rung, std::size_t index,
                           const std::vector<double>& expected)
    : entry_(entry),
      rung_(rung),
      index_(index),
      count_(expected.size()),
      progress_(lab::stderr_is_terminal()),
      waiting_([this](const std::stop_token& stop) {
        std::unique_lock lock(guard_);
        while (!changed_.wait_for(lock, stop, std::chrono::seconds(1),
                                  [&] { return stop.stop_requested(); }))
          progress_.waiting();
      }) {
  const std::lock_guard lock(guard_);
  progress_.expects(expected);
}

TuneProgress::~TuneProgress() {
  waiting_.request_stop();
  waiting_.join();
}

void TuneProgress::phase(const std::string& what, double share) {
  const std::lock_guard lock(guard_);
  progress_.phase(entry_, index_, count_, {rung_, what, share});
}

void TuneProgress::wipe() {
  const std::lock_guard lock(guard_);
  progress_.clear();
}

}  // namespace aisp::app
