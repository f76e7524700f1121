#include "lab/trace/ranges.hpp"

#include <unistd.h>

#include <utility>

namespace aisp::lab {
namespace {

std::uint64_t this_thread() { return static_cast<std::uint64_t>(gettid()); }

}  // namespace

void RangeLog::push(const std::string& name) {
  const std::uint64_t thread = this_thread();
  const bool heard = heard_ == Heard::everything || name == storage_range;
  const std::uint64_t now = heard ? clock_() : 0;
  const std::lock_guard lock(mutex_);
  auto& open = open_[thread];
  if (!heard) return open.push_back(std::nullopt);
  const std::string around = !open.empty() && open.back() ? ranges_[*open.back()].path + "/" : "";
  open.push_back(ranges_.size());
  ranges_.push_back({.thread = thread, .name = name, .path = around + name, .start = now});
}

void RangeLog::pop() {
  const std::uint64_t now = clock_();
  const std::lock_guard lock(mutex_);
  auto& open = open_[this_thread()];
  if (open.empty()) return;  // it began before anybody listened
  if (open.back()) ranges_[*open.back()].end = now;
  open.pop_back();
}

void RangeLog::mark(const std::string& text) {
  if (heard_ != Heard::everything) return;
  const std::uint64_t now = clock_();
  const std::lock_guard lock(mutex_);
  marks_.push_back({this_thread(), text, now});
}

void RangeLog::clear() {
  const std::lock_guard lock(mutex_);
  std::vector<LoggedRange> left;
  for (auto& [thread, open] : open_)
    for (auto& place : open) {
      if (!place) continue;
      left.push_back(ranges_[*place]);
      place = left.size() - 1;
    }
  ranges_ = std::move(left);
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
