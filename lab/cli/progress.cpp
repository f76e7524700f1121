#include "lab/cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace aisp::lab {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string clock(double seconds) {
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

bool stderr_is_terminal() {
  const char* kind = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && !(kind != nullptr && std::string(kind) == "dumb");
}

Progress::Progress(bool terminal) : terminal_(terminal), start_(std::chrono::steady_clock::now()) {}

Progress::~Progress() { clear(); }

void Progress::clear() {
  if (shown_) std::fputs("\r\033[K", stderr);
  shown_ = false;
}

void Progress::phase(const EntryPlan& entry, std::size_t index, std::size_t entries,
                     const Phase& phase) {
  if (!started_) first_index_ = index;  // a resumed run has nothing to learn from what was skipped
  started_ = true;
  if (!terminal_) return;
  const auto now = std::chrono::steady_clock::now();
  if (shown_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  const TimeLeft estimate(entries - first_index_, 0);
  const double left = estimate.seconds(index - first_index_, phase.share, seconds_since(start_));
  clear();
  std::fprintf(stderr, "%s",
               fmt::format("[{}/{}] {} {}: {}{}", index + 1, entries, entry.entry, phase.rung,
                           phase.what, left < 0 ? "" : ", " + clock(left) + " left")
                   .c_str());
  std::fflush(stderr);
  shown_ = true;
}

void Progress::row(const RowRecord&) {}

void Progress::warn(const std::string& line) {
  clear();
  std::fprintf(stderr, "aisp: %s\n", line.c_str());
}

}  // namespace aisp::lab
