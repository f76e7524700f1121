#include "lab/report/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace aisp::lab::svg {

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else
      safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return safe;
}

std::string label(double x, double y, const std::string& attributes, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes,
                     escaped(text));
}

std::string line(double x1, double y1, double x2, double y2, const std::string& attributes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1,
                     x2, y2, attributes);
}

std::string Labels::near(double x, double y, const std::string& text) {
  constexpr double above = 14, below = 24, height = 14;
  const double half = character * static_cast<double>(text.size()) / 2;
  if (2 * half > area_.right - area_.left) return "";
  const double middle = std::clamp(x, area_.left + half, area_.right - half);
  for (const double at : {y - above, y + below}) {
    const bool outside = at - height < area_.top || at > area_.bottom;
    const bool taken = std::any_of(boxes_.begin(), boxes_.end(), [&](const Box& box) {
      return std::abs(box.x - middle) < box.half + half && std::abs(box.y - at) < height;
    });
    if (outside || taken) continue;
    boxes_.push_back({middle, at, half});
    return label(middle, at, "text-anchor=\"middle\"", text);
  }
  return "";
}

}  // namespace aisp::lab::svg
