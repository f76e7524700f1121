// Where the lines of a text begin: found once, asked for as often as reports and lists want.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace aisp::sim {

class TextLines {
 public:
  TextLines() = default;
  explicit TextLines(std::string_view text);  // which must outlive it

  int count() const { return static_cast<int>(starts_.size()); }
  // Without its end; lines count from 1, and one that is not there is empty.
  std::string_view at(int number) const;

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

}  // namespace aisp::sim
