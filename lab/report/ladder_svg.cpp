#include "lab/report/ladder_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/refuse.hpp"
#include "lab/report/svg.hpp"

namespace aisp::lab {
namespace {

// All lengths in pixels of the picture's own coordinates.
constexpr double width = 860, row = 26, bar_height = 16, top = 66, bottom = 34, right = 70;
constexpr double character = 7.3;  // of a 12 pixel monospace font

constexpr const char* style = R"(<style>
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328; }
.title { font-weight: bold; font-size: 14px; }
.faint { fill: #59636e; }
.grid { stroke: #d1d9e0; }
.bar { fill: #3b7dd8; }
.last { fill: #1a4f9c; }
.inside { fill: #ffffff; }
.interval { stroke: #1f2328; }
.peer { stroke: #c2410c; stroke-width: 1.5; stroke-dasharray: 5 3; }
.peer-name { fill: #c2410c; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .faint { fill: #9198a1; }
  .grid { stroke: #3d444d; }
  .bar { fill: #4493f8; }
  .last { fill: #8ec2ff; }
  .inside { fill: #0d1117; }
  .interval { stroke: #e6edf3; }
  .peer { stroke: #ff9b5e; }
  .peer-name { fill: #ff9b5e; }
}
</style>
)";

using svg::escaped, svg::label;

std::string line(double x1, double y1, double x2, double y2, const std::string& kind) {
  return svg::line(x1, y1, x2, y2, "class=\"" + kind + "\"");
}

std::string number(double value) {
  return fmt::format("{:.{}f}", value, value >= 100 ? 0 : value >= 10 ? 1 : 2);
}

class Picture {
 public:
  explicit Picture(const Ladder& ladder) : ladder_(ladder) {
    std::size_t longest = 0;
    for (const auto& bar : ladder.bars) {
      most_ = std::max(most_, std::max(bar.rate, bar.high));
      if (bar.peer) continue;
      longest = std::max(longest, bar.name.size());
      ++rungs_;
    }
    left_ = 20 + character * static_cast<double>(longest);
    most_ *= 1.02;
  }

  std::string draw() const {
    const double height = end() + bottom;
    const std::string title =
        fmt::format("{} {} on {}", ladder_.target, ladder_.size, ladder_.hardware);
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
               "width=\"{:.0f}\" role=\"img\" aria-label=\"{}\">\n",
               width, height, width, escaped(title)) +
           "<title>" + escaped(title) + "</title>\n" + style +
           label(10, 22, "class=\"title\"", title) + axis() + bars() + peers() + "</svg>\n";
  }

 private:
  double at(double rate) const { return left_ + (width - right - left_) * rate / most_; }
  double end() const { return top + row * static_cast<double>(rungs_); }

  std::string axis() const {
    std::string text;
    const double step = tick_step(most_);
    for (int tick = 0; tick * step <= most_; ++tick) {
      text += line(at(tick * step), top - 4, at(tick * step), end(), "grid");
      text += label(at(tick * step), end() + 16, "class=\"faint\" text-anchor=\"middle\"",
                    fmt::format("{:g}", tick * step));
    }
    return text +
           label(width - 10, end() + 16, "class=\"faint\" text-anchor=\"end\"", ladder_.unit);
  }

  std::string bars() const {
    std::string text;
    std::size_t drawn = 0;
    for (const auto& bar : ladder_.bars) {
      if (bar.peer) continue;
      const double y = top + row * static_cast<double>(drawn), middle = y + row / 2;
      ++drawn;
      text += label(left_ - 8, middle + 4, "text-anchor=\"end\"", bar.name);
      text += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" "
          "class=\"bar{}\"><title>{}</title></rect>\n",
          left_, y + (row - bar_height) / 2, at(bar.rate) - left_, bar_height,
          drawn == rungs_ ? " last" : "", escaped(bar.idea));
      text += line(at(bar.low), middle, at(bar.high), middle, "interval");
      // Inside the bar, out of the way of the peers' lines; beside it where it is too short.
      const bool inside = at(bar.low) - left_ > 60;
      text += label(inside ? at(bar.low) - 6 : at(bar.high) + 6, middle + 4,
                    inside ? "class=\"inside\" text-anchor=\"end\"" : "class=\"beside\"",
                    number(bar.rate));
    }
    return text;
  }

  // Names stand above the bars, to the left of their lines where there is room; a second peer's
  // one line higher.
  std::string peers() const {
    std::string text;
    double y = top - 10;
    for (const auto& bar : ladder_.bars) {
      if (!bar.peer) continue;
      const double x = at(bar.rate);
      const std::string name = bar.name + " " + number(bar.rate);
      const bool room = character * static_cast<double>(name.size()) < x - 16;
      text += line(x, y - 10, x, end(), "peer");
      text += label(room ? x - 6 : x + 6, y,
                    room ? "class=\"peer-name\" text-anchor=\"end\"" : "class=\"peer-name\"", name);
      y -= 14;
    }
    return text;
  }

  const Ladder& ladder_;
  double most_ = 0, left_ = 0;
  std::size_t rungs_ = 0;
};

}  // namespace

double tick_step(double most) {
  const double power = std::pow(10.0, std::floor(std::log10(most)));
  for (const double factor : {0.1, 0.2, 0.5})
    if (most <= 10 * factor * power) return factor * power;
  return power;
}

std::string ladder_svg(const Ladder& ladder) {
  if (ladder.bars.empty())
    base::refuse(base::Exit::usage, "no times of ", ladder.target, " ", ladder.size, " on ",
                 ladder.hardware, " to draw; 'aisp bench run --update-expectations' writes them");
  return Picture(ladder).draw();
}

}  // namespace aisp::lab
