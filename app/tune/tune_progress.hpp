// How far `aisp tune program` is, on standard error.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "lab/cli/progress.hpp"

namespace aisp::app {

// One rung at one size. A thread repeats the line while a phase is silent: one run of a full size,
// or a float64 reference, may take minutes.
class TuneProgress {
 public:
  // `index` of as many rungs as `expected` has numbers: the estimated seconds of each, 0 where
  // nothing is known.
  TuneProgress(const lab::EntryPlan& entry, const std::string& rung, std::size_t index,
               const std::vector<double>& expected);
  ~TuneProgress();
  TuneProgress(const TuneProgress&) = delete;
  TuneProgress& operator=(const TuneProgress&) = delete;

  void phase(const std::string& what, double share);
  // Before a line is printed: takes the line off the terminal.
  void wipe();

 private:
  const lab::EntryPlan& entry_;
  std::string rung_;
  std::size_t index_, count_;
  std::mutex guard_;  // of progress_
  std::condition_variable_any changed_;
  lab::Progress progress_;
  std::jthread waiting_;
};

}  // namespace aisp::app
