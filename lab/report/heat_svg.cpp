#include "lab/report/heat_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.hpp"
#include "lab/report/cliffs.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/svg.hpp"
#include "lab/report/sweep_scale.hpp"

namespace aisp::lab {
namespace {

// All lengths in pixels of the picture's own coordinates.
constexpr double cells_left = 90, cells_top = 64, cell_width = 66, cell_height = 26, panel_gap = 64;
constexpr int shades = 8;

// One hue from faint to full: the darkest is the fastest, in light as in dark.
constexpr const char* heat_style = R"(<style>
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328; }
.title { font-weight: bold; font-size: 14px; }
.faint { fill: #59636e; }
.warning { fill: #c2410c; }
.none { fill: none; stroke: #d1d9e0; stroke-dasharray: 3 3; }
.best { fill: none; stroke: #c2410c; stroke-width: 2.5; }
.h0 { fill: #eef4fb; } .h1 { fill: #d3e4f5; } .h2 { fill: #b3cfee; } .h3 { fill: #8fb6e4; }
.h4 { fill: #6a9bd8; } .h5 { fill: #4680c8; } .h6 { fill: #2a65b2; } .h7 { fill: #1a4f9c; }
.on { fill: #ffffff; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .faint { fill: #9198a1; }
  .warning { fill: #ff9b5e; }
  .none { stroke: #3d444d; }
  .best { stroke: #ff9b5e; }
  .h0 { fill: #161d27; } .h1 { fill: #1b2a3d; } .h2 { fill: #213a58; } .h3 { fill: #284c76; }
  .h4 { fill: #2f5f96; } .h5 { fill: #3a76b8; } .h6 { fill: #5696d8; } .h7 { fill: #79b8ff; }
  .on { fill: #0d1117; }
}
</style>
)";

// One rung at one value of the axes beyond the second.
struct Panel {
  std::string name;
  std::map<std::pair<std::int64_t, std::int64_t>, const SweepRow*> cells;
};

class HeatMap {
 public:
  explicit HeatMap(const SweepResult& sweep)
      : sweep_(sweep), across_(sweep.axes.at(0)), down_(sweep.axes.at(1)) {
    for (const auto& row : sweep.rows) {
      computes_ = computes_ || row.computes;
      if (row.rung.empty()) refused_[row.values] = row.reason;
    }
    for (const auto& row : sweep.rows) {
      if (row.rung.empty()) continue;
      Panel& panel = panel_named(name_of_panel(row));
      panel.cells[{row.values[0], row.values[1]}] = &row;
      if (!drawn(row)) continue;
      if (fastest_ == nullptr || value(row) > value(*fastest_)) fastest_ = &row;
      if (slowest_ == nullptr || value(row) < value(*slowest_)) slowest_ = &row;
    }
  }

  std::string draw() const {
    const double width =
        std::max(560.0, cells_left + cell_width * static_cast<double>(across_.values.size()) + 30);
    const double panel_height = cell_height * static_cast<double>(down_.values.size());
    std::string body;
    double y = cells_top + 24;
    for (const auto& panel : panels_) {
      body += draw_panel(panel, y);
      y += panel_height + panel_gap;
    }
    const std::string head = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
        "width=\"{0:.0f}\" role=\"img\" aria-labelledby=\"title description\">\n"
        "<title id=\"title\">{2}</title>\n<desc id=\"description\">{3}</desc>\n",
        width, y, svg::escaped(title()), svg::escaped(description()));
    return head + heat_style + svg::label(10, 22, "class=\"title\"", title()) + subtitle() + body +
           "</svg>\n";
  }

 private:
  bool drawn(const SweepRow& row) const { return sweep_.is_drawn(row); }

  // More is better: a rate, or the count that shows the idea with its sign.
  double value(const SweepRow& row) const {
    if (sweep_.simulated) {
      const double counted = *row.count_of(*sweep_.shows_in);
      return is_better(*sweep_.shows_in, 1, 0) ? counted : -counted;
    }
    return (computes_ ? row.flops * 1e-9 : row.bytes * 1e-6) / row.median_ms;
  }
  // From 0 to 1 for the best: of the largest rate, or of the range of the counts.
  double fullness(const SweepRow& row) const {
    if (!sweep_.simulated) return value(row) / value(*fastest_);
    const double range = value(*fastest_) - value(*slowest_);
    return range > 0 ? (value(row) - value(*slowest_)) / range : 1;
  }
  std::string words(const SweepRow& row) const {
    if (sweep_.simulated) return text_of(*sweep_.shows_in, *row.count_of(*sweep_.shows_in));
    const double rate = value(row);
    return rate >= 100 ? fmt::format("{:.0f}", rate) : fmt::format("{:.3g}", rate);
  }
  std::string unit() const {
    if (sweep_.simulated)
      return std::string(sweep_.shows_in ? name_of(*sweep_.shows_in) : no_count_shows_it);
    return computes_ ? "TFLOP/s" : "GB/s";
  }

  std::string name_of_panel(const SweepRow& row) const {
    std::string name = row.rung + (row.peer ? " (peer)" : "");
    for (std::size_t i = 2; i < sweep_.axes.size(); ++i)
      name += fmt::format(" {}={}", sweep_.axes[i].name, row.values[i]);
    return name;
  }

  Panel& panel_named(const std::string& name) {
    for (auto& panel : panels_)
      if (panel.name == name) return panel;
    return panels_.emplace_back(Panel{name, {}});
  }

  std::string title() const {
    return fmt::format("{}{} over {} and {} on {}", sweep_.target,
                       sweep_.variant.empty() ? "" : " " + sweep_.variant, across_.name, down_.name,
                       sweep_.device.empty() ? "no device" : sweep_.device);
  }

  std::string place(const SweepRow& row) const {
    return fmt::format("{} at {}={} {}={}", name_of_panel(row), across_.name, row.values[0],
                       down_.name, row.values[1]);
  }

  // What the colours show, in words, for those who do not see them.
  std::string description() const {
    if (fastest_ == nullptr) return sweep_.simulated ? unit() : "nothing was measured";
    return fmt::format("{} panels in {}. The best is {}: {}. {}", panels_.size(), unit(),
                       place(*fastest_), words(*fastest_),
                       base::join(base::split(cliff_notes(sweep_), '\n'), ". "));
  }

  std::string subtitle() const {
    if (sweep_.simulated && !sweep_.shows_in)
      return svg::label(10, 42, "class=\"warning\"",
                        "simulated: no count shows it: " + sweep_.shows_nowhere);
    if (fastest_ == nullptr)
      return svg::label(10, 42, "class=\"warning\"",
                        sweep_.simulated ? "nothing was counted" : "nothing was measured");
    return svg::label(10, 42, sweep_.simulated ? "class=\"warning\"" : "class=\"faint\"",
                      fmt::format("{}{}; framed: the best, {}",
                                  sweep_.simulated ? "simulated: " : "", unit(), words(*fastest_)));
  }

  std::string draw_panel(const Panel& panel, double y) const {
    std::string text = svg::label(cells_left, y - 24, "", panel.name);
    for (std::size_t column = 0; column < across_.values.size(); ++column)
      text += svg::label(cells_left + cell_width * (static_cast<double>(column) + 0.5), y - 6,
                         "class=\"faint\" text-anchor=\"middle\"",
                         std::to_string(across_.values[column]));
    text += svg::label(cells_left + cell_width * static_cast<double>(across_.values.size()) + 4,
                       y - 6, "class=\"faint\"", across_.name);
    for (std::size_t line = 0; line < down_.values.size(); ++line) {
      const double at = y + cell_height * static_cast<double>(line);
      text += svg::label(cells_left - 8, at + 17, "class=\"faint\" text-anchor=\"end\"",
                         (line == 0 ? down_.name + " " : "") + std::to_string(down_.values[line]));
      for (std::size_t column = 0; column < across_.values.size(); ++column)
        text += draw_cell(panel, across_.values[column], down_.values[line],
                          cells_left + cell_width * static_cast<double>(column), at);
    }
    return text;
  }

  std::string draw_cell(const Panel& panel, std::int64_t x_value, std::int64_t y_value, double x,
                        double y) const {
    const auto found = panel.cells.find({x_value, y_value});
    const SweepRow* row = found == panel.cells.end() ? nullptr : found->second;
    if (row == nullptr || !drawn(*row))
      return box(x, y, "none", row != nullptr ? row->reason : why_refused(x_value, y_value));
    const int shade = std::clamp(static_cast<int>(shades * fullness(*row)), 0, shades - 1);
    const std::string hover =
        fmt::format("{}: {} {}", place(*row), unit(), words(*row)) +
        (row->roof_share ? fmt::format(", {:.1f} % of the roof", 100 * *row->roof_share) : "");
    std::string text = box(x, y, fmt::format("h{}", shade), hover);
    text += svg::label(
        x + cell_width / 2, y + 17,
        shade >= 5 ? "class=\"on\" text-anchor=\"middle\"" : "text-anchor=\"middle\"", words(*row));
    return row == fastest_ ? text + box(x, y, "best", hover) : text;
  }

  std::string why_refused(std::int64_t x_value, std::int64_t y_value) const {
    for (const auto& [values, reason] : refused_)
      if (values[0] == x_value && values[1] == y_value) return reason;
    return "not measured";
  }

  static std::string box(double x, double y, const std::string& kind, const std::string& hover) {
    return fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\">"
        "<title>{}</title></rect>\n",
        x + 1, y + 1, cell_width - 2, cell_height - 2, kind, svg::escaped(hover));
  }

  const SweepResult& sweep_;
  const SweepAxis &across_, &down_;
  std::vector<Panel> panels_;
  std::map<std::vector<std::int64_t>, std::string> refused_;
  const SweepRow *fastest_ = nullptr, *slowest_ = nullptr;
  bool computes_ = false;
};

}  // namespace

std::string heat_svg(const SweepResult& sweep) { return HeatMap(sweep).draw(); }

}  // namespace aisp::lab
