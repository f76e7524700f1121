#include "lab/trace/ranges.hpp"

#include <unistd.h>

#include <algorithm>

namespace aisp::lab {
namespace {

std::uint64_t this_thread() { return static_cast<std::uint64_t>(gettid()); }

bool is_open(const LoggedRange& range) { return range.end == UINT64_MAX; }

}  // namespace

LoggedRange* RangeLog::open_range(std::uint64_t thread) {
  const auto found = std::find_if(ranges_.rbegin(), ranges_.rend(), [&](const LoggedRange& range) {
    return range.thread == thread && is_open(range);
  });
  return found == ranges_.rend() ? nullptr : &*found;
}

void RangeLog::push(const std::string& name) {
  const std::uint64_t now = clock_(), thread = this_thread();
  const std::lock_guard lock(mutex_);
  const LoggedRange* around = open_range(thread);
  const std::string path = around != nullptr ? around->path + "/" + name : name;
  ranges_.push_back({.thread = thread, .name = name, .path = path, .start = now});
}

void RangeLog::pop() {
  const std::uint64_t now = clock_();
  const std::lock_guard lock(mutex_);
  if (LoggedRange* range = open_range(this_thread())) range->end = now;
}

void RangeLog::mark(const std::string& text) {
  const std::uint64_t now = clock_();
  const std::lock_guard lock(mutex_);
  marks_.push_back({this_thread(), text, now});
}

void RangeLog::clear() {
  const std::lock_guard lock(mutex_);
  std::erase_if(ranges_, [](const LoggedRange& range) { return !is_open(range); });
  marks_.clear();
}

std::vector<LoggedRange> RangeLog::ranges() const {
  const std::lock_guard lock(mutex_);
  return ranges_;
}

std::vector<LoggedMark> RangeLog::marks() const {
  const std::lock_guard lock(mutex_);
  return marks_;
}

std::string path_at(const std::vector<LoggedRange>& ranges, std::uint64_t thread,
                    std::uint64_t time) {
  const LoggedRange* innermost = nullptr;
  for (const auto& range : ranges)
    if (range.thread == thread && range.start <= time && time <= range.end &&
        (innermost == nullptr || range.start >= innermost->start))
      innermost = &range;
  return innermost != nullptr ? innermost->path : "";
}

}  // namespace aisp::lab
