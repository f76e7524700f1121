// Writes down the host's ranges and marks with their times while a trace is taken on a GPU.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "lab/case/range.hpp"

namespace aisp::lab {

struct LoggedRange {
  std::uint64_t thread = 0;
  std::string name, path;  // "copy pages", "prefetch/copy pages"
  std::uint64_t start = 0;
  std::uint64_t end = UINT64_MAX;  // as long as it is open
};

struct LoggedMark {
  std::uint64_t thread = 0;
  std::string text;
  std::uint64_t at = 0;
};

// Every range that is written down costs the host time; reads from storage are few and long.
enum class Heard { everything, storage };

class RangeLog : public RangeSink {
 public:
  explicit RangeLog(std::function<std::uint64_t()> clock, Heard heard = Heard::everything)
      : clock_(std::move(clock)), heard_(heard) {}

  void push(const std::string& name) override;
  void pop() override;
  void mark(const std::string& text) override;

  void clear();  // what has ended; open ranges go on
  std::vector<LoggedRange> ranges() const;
  std::vector<LoggedMark> marks() const;

 private:
  std::function<std::uint64_t()> clock_;
  Heard heard_;
  mutable std::mutex mutex_;
  std::vector<LoggedRange> ranges_;  // by start
  // Of each thread, the innermost last; nothing for one that is not heard.
  std::map<std::uint64_t, std::vector<std::optional<std::size_t>>> open_;
  std::vector<LoggedMark> marks_;
};

// Path of the innermost of these ranges that the thread was in; "" for none.
std::string path_at(const std::vector<LoggedRange>& ranges, std::uint64_t thread,
                    std::uint64_t time);

}  // namespace aisp::lab
