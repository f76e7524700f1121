// The few elements that the lab's pictures are made of, as text.
#pragma once

#include <string>
#include <vector>

namespace aisp::lab::svg {

// With the characters that XML keeps for itself written as entities; control characters, which XML
// cannot hold at all, become blanks.
std::string escaped(const std::string& text);

// `attributes` stand in the element as they are: "class=\"faint\" text-anchor=\"end\"".
std::string label(double x, double y, const std::string& attributes, const std::string& text);
std::string line(double x1, double y1, double x2, double y2, const std::string& attributes);

inline constexpr double character = 7.3;  // width of one, of a 12 pixel monospace font

struct Area {
  double left, right, top, bottom;
};

// Words beside points of a plot that do not cover each other and stay in its area.
class Labels {
 public:
  explicit Labels(const Area& area) : area_(area) {}

  // Above the point, below it where others are in the way, "" where there is no room at all.
  std::string near(double x, double y, const std::string& text);

 private:
  struct Box {
    double x, y, half;  // middle, base line, half of the width
  };
  Area area_;
  std::vector<Box> boxes_;
};

}  // namespace aisp::lab::svg
