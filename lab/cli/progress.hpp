// How a run is getting on, on standard error, with the time left. On a terminal it is one line that
// is written over; in a pipe or a file it is a new line every few seconds.
#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "lab/run/process/supervisor.hpp"

namespace aisp::lab {

// Estimates the time left from the share of the entries that is done.
class TimeLeft {
 public:
  TimeLeft(std::size_t entries, double seconds_now) : entries_(entries), start_(seconds_now) {}
  // Negative while there is too little to go by.
  double seconds(std::size_t finished, double share_of_current, double now) const;

 private:
  std::size_t entries_;
  double start_;
};

// The same from an estimate of each entry's seconds, which is scaled by what the entries before
// this one have taken.
class EstimatedTimeLeft {
 public:
  explicit EstimatedTimeLeft(std::vector<double> seconds) : seconds_(std::move(seconds)) {}
  // Since the entry `first` began, and of them in the entry `current`. Negative where the estimate
  // does not know, or the entry takes longer than it says.
  double seconds(std::size_t first, std::size_t current, double elapsed, double of_current) const;

 private:
  std::vector<double> seconds_;
};

class Progress : public RunObserver {
 public:
  explicit Progress(bool terminal);
  ~Progress() override;

  void phase(const EntryPlan& entry, std::size_t index, std::size_t entries,
             const Phase& phase) override;
  void row(const RowRecord& row) override;
  void warn(const std::string& line) override;
  void expects(const std::vector<double>& seconds) override;
  void waiting() override;
  void clear();  // takes the line off the terminal

 private:
  double seconds_left() const;
  void show();
  bool is_due() const;

  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_, start_, entry_start_;
  std::vector<double> expected_;  // of each entry; empty: nothing was estimated
  std::size_t first_index_ = 0, index_ = 0, entries_ = 0;
  std::string entry_;
  Phase phase_;
  bool started_ = false;
};

bool stderr_is_terminal();

// Seconds between two lines where there is no terminal, once a run has lasted so long. A log of
// hours gets fewer of them. AISP_PROGRESS_SECONDS sets it; 0 is never.
double seconds_between_lines(double elapsed);

}  // namespace aisp::lab
