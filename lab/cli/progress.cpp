#include "lab/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>

#include "base/home.hpp"
#include "base/refuse.hpp"
#include "lab/run/estimate.hpp"

namespace aisp::lab {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string clock(double seconds) {
  if (seconds >= 3600) return "about " + rough_duration(seconds);
  const long whole = std::lround(seconds);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

double TimeLeft::seconds(std::size_t finished, double share_of_current, double now) const {
  const double done = static_cast<double>(finished) + share_of_current;
  const double elapsed = now - start_;
  if (done < 0.02 || elapsed <= 0) return -1;
  return elapsed * (static_cast<double>(entries_) - done) / done;
}

double EstimatedTimeLeft::seconds(std::size_t first, std::size_t current, double elapsed,
                                  double of_current) const {
  if (current >= seconds_.size() || seconds_[current] <= 0) return -1;
  const auto sum = [&](std::size_t from, std::size_t to) {
    return std::accumulate(seconds_.begin() + static_cast<long>(from),
                           seconds_.begin() + static_cast<long>(to), 0.0);
  };
  const double finished = sum(first, current);
  // Small entries are mostly the start of their workers: no reason to scale an hour by them.
  constexpr double most = 10;
  const double scale =
      finished > 0 ? std::clamp((elapsed - of_current) / finished, 1 / most, most) : 1;
  const double of_this = scale * seconds_[current] - of_current;
  return of_this < 0 ? -1 : of_this + scale * sum(current + 1, seconds_.size());
}

bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && !(kind != nullptr && std::string(kind) == "dumb");
}

double seconds_between_lines(double elapsed) {
  constexpr double at_first = 5, later = 30, after = 60;
  if (const char* set = base::environment("AISP_PROGRESS_SECONDS")) {
    char* end = nullptr;
    const double seconds = std::strtod(set, &end);
    if (end == set || *end != '\0' || !(seconds >= 0))
      base::refuse(base::Exit::environment, "AISP_PROGRESS_SECONDS=", set,
                   " is no number of seconds from 0 on");
    return seconds;
  }
  return elapsed < after ? at_first : later;
}

Progress::Progress(bool terminal)
    : terminal_(terminal),
      last_(std::chrono::steady_clock::now()),
      start_(std::chrono::steady_clock::now()) {
  seconds_between_lines(0);  // a bad value is refused before anything runs
}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

bool Progress::is_due() const {
  if (terminal_) {
    constexpr double seconds = 0.1;
    return !shown_ || seconds_since(last_) >= seconds;
  }
  const double seconds = seconds_between_lines(seconds_since(start_));
  return seconds > 0 && seconds_since(last_) >= seconds;
}

double Progress::seconds_left() const {
  if (!expected_.empty())
    return EstimatedTimeLeft(expected_).seconds(first_index_, index_, seconds_since(start_),
                                                seconds_since(entry_start_));
  return TimeLeft(entries_ - first_index_, 0)
      .seconds(index_ - first_index_, phase_.share, seconds_since(start_));
}

void Progress::expects(const std::vector<double>& seconds) {
  expected_ = seconds;
  started_ = false;  // what was shown while the time was estimated is over
}

void Progress::show() {
  if (!is_due()) return;
  last_ = std::chrono::steady_clock::now();
  const double left = seconds_left();
  clear();
  const std::string text =
      fmt::format("[{}/{}] {} {}: {}{}", index_ + 1, entries_, entry_, phase_.rung, phase_.what,
                  left < 0 ? "" : ", " + clock(left) + " left");
  std::fprintf(stderr, terminal_ ? "%s" : "%s\n", text.c_str());
  std::fflush(stderr);
  shown_ = terminal_;
}

void Progress::phase(const EntryPlan& entry, std::size_t index, std::size_t entries,
                     const Phase& phase) {
  if (!started_) {  // a resumed run has nothing to learn from what was skipped
    first_index_ = index;
    start_ = std::chrono::steady_clock::now();
  }
  if (!started_ || index != index_) entry_start_ = std::chrono::steady_clock::now();
  started_ = true;
  entry_ = entry.entry;
  index_ = index;
  entries_ = entries;
  phase_ = phase;
  show();
}

void Progress::waiting() {
  if (started_) show();
}

void Progress::row(const RowRecord&) {}

void Progress::warn(const std::string& line) {
  clear();
  std::fprintf(stderr, "aisp: %s\n", line.c_str());
}

}  // namespace aisp::lab
