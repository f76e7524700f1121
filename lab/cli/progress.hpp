// How a run is getting on: one line on standard error that is written over, with the time left.
// Only on a terminal; in a pipe or a file nothing of it appears.
#pragma once

#include <chrono>
#include <string>

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

class Progress : public RunObserver {
 public:
  explicit Progress(bool terminal);
  ~Progress() override;

  void phase(const EntryPlan& entry, std::size_t index, std::size_t entries,
             const Phase& phase) override;
  void row(const RowRecord& row) override;
  void warn(const std::string& line) override;

 private:
  void clear();

  bool terminal_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point last_{}, start_;
  std::size_t first_index_ = 0;
  bool started_ = false;
};

bool stderr_is_terminal();

}  // namespace aisp::lab
