#include "lab/report/sweep_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text.hpp"
#include "lab/report/counts.hpp"
#include "lab/report/ladder_svg.hpp"
#include "lab/report/svg.hpp"
#include "lab/report/sweep_scale.hpp"
#include "lab/report/sweep_series.hpp"

namespace aisp::lab {
namespace {

// All lengths in pixels of the picture's own coordinates.
constexpr double width = 860, left = 90, right = 30, top = 72, panel = 250, gap = 62;
constexpr double legend_row = 18;

constexpr const char* style = R"(<style>
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328; }
.title { font-weight: bold; font-size: 14px; }
.faint { fill: #59636e; }
.warning { fill: #c2410c; }
.grid { stroke: #d1d9e0; }
.series { fill: none; stroke: currentColor; stroke-width: 1.6; }
.point { fill: currentColor; }
.change { fill: none; stroke: #1f2328; stroke-width: 1.6; }
.c0 { color: #1a4f9c; } .c1 { color: #c2410c; } .c2 { color: #1a7f37; } .c3 { color: #8250df; }
.c4 { color: #9a6700; } .c5 { color: #bf3989; } .c6 { color: #1b7c83; } .c7 { color: #59636e; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .faint { fill: #9198a1; }
  .warning { fill: #ff9b5e; }
  .grid { stroke: #3d444d; }
  .change { stroke: #e6edf3; }
  .c0 { color: #79b8ff; } .c1 { color: #ff9b5e; } .c2 { color: #56d364; } .c3 { color: #d2a8ff; }
  .c4 { color: #e3b341; } .c5 { color: #ff9bce; } .c6 { color: #56d4dd; } .c7 { color: #9198a1; }
}
</style>
)";

constexpr const char* dash_patterns[series_dashes] = {"", "7 3", "2 3", "9 3 2 3"};

std::string change(const SweepRow& row) { return row.bound_before + " \u2192 " + row.bound; }

class Picture {
 public:
  explicit Picture(const SweepResult& sweep)
      : sweep_(sweep),
        series_(series_of(sweep)),
        axis_(sweep.axes.front()),
        x_(static_cast<double>(axis_.values.front()), static_cast<double>(axis_.values.back()),
           left + 20, width - right - 20, axis_.geometric) {
    for (const auto& row : sweep.rows) computes_ = computes_ || row.computes;
  }

  std::string draw() const {
    if (sweep_.simulated && series_.empty())
      return head(top) + style + svg::label(10, 22, "class=\"title\"", title()) + warning() +
             "</svg>\n";
    const bool rates = !sweep_.simulated && !series_.empty();
    const double bottom = top + panel + (rates ? gap + panel : 0);
    std::string body = sweep_.simulated ? count_panel(top) : time_panel(top);
    if (rates) body += rate_panel(top + panel + gap);
    body += legend(bottom + 56);
    return head(bottom + 56 + legend_row * static_cast<double>(legend_rows()) + 8) + style +
           svg::label(10, 22, "class=\"title\"", title()) + warning() + body + "</svg>\n";
  }

 private:
  std::string title() const {
    std::vector<std::string> axes;
    for (const auto& axis : sweep_.axes) axes.push_back(axis.name);
    return fmt::format("{}{} over {} on {}", sweep_.target,
                       sweep_.variant.empty() ? "" : " " + sweep_.variant, base::join(axes, ", "),
                       sweep_.device.empty() ? "no device" : sweep_.device);
  }

  // What the lines show, in words, for those who do not see them.
  std::string description() const {
    std::string text = fmt::format("{} lines over {} from {} to {}.", series_.size(), axis_.name,
                                   axis_.values.front(), axis_.values.back());
    for (const auto& series : series_) {
      text += fmt::format(" {}: {} to {}", series.name, words_of(*series.rows[0]),
                          words_of(*series.rows.back()));
      for (const auto* row : series.rows)
        if (!row->bound_before.empty())
          text += fmt::format(", bound {} from {}={} on", row->bound, axis_.name, row->values[0]);
      text += ".";
    }
    return text;
  }

  std::string head(double height) const {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "width=\"{:.0f}\" role=\"img\" aria-labelledby=\"title description\">\n"
        "<title id=\"title\">{}</title>\n<desc id=\"description\">{}</desc>\n",
        width, height, width, svg::escaped(title()), svg::escaped(description()));
  }

  std::string warning() const {
    const auto line = [](const std::string& text) {
      return svg::label(10, 42, "class=\"warning\"", text);
    };
    if (sweep_.simulated && !sweep_.shows_in)
      return line("simulated: no count shows it: " + sweep_.shows_nowhere);
    if (series_.empty())
      return line(sweep_.simulated ? "nothing was counted" : "nothing was measured");
    if (!sweep_.simulated) return "";
    return line(
        "simulated: counts, not times; bounds follow from operations per byte and the vendor's "
        "figures");
  }

  // A time, or what was counted.
  std::string words_of(const SweepRow& row) const {
    return sweep_.simulated ? text_of(*sweep_.shows_in, *row.count_of(*sweep_.shows_in))
                            : base::duration(row.median_ms);
  }

  // The count that shows the idea, from 0 on: a count may be 0, which a logarithm cannot show.
  std::string count_panel(double y) const {
    const Count count = *sweep_.shows_in;
    const auto value = [&](const SweepRow& row) { return *row.count_of(count); };
    double most = 0;
    for (const auto& series : series_)
      for (const auto* row : series.rows) most = std::max(most, 1.05 * value(*row));
    const Scale scale(0, most > 0 ? most : 1, y + panel, y, false);
    std::string text = frame(y, std::string(name_of(count)));
    const double step = tick_step(most > 0 ? most : 1);
    for (int tick = 0; tick * step <= most; ++tick)
      text += tick_line(scale.at(tick * step), text_of(count, tick * step));
    return text + lines(y, [&](const SweepRow& row) { return scale.at(value(row)); });
  }

  std::string time_panel(double y) const {
    double low = 1e300, high = 0;
    for (const auto& series : series_)
      for (const auto* row : series.rows) {
        low = std::min(low, row->median_ms);
        high = std::max(high, row->median_ms);
      }
    if (series_.empty()) low = high = 1;
    low /= 1.25;
    high *= 1.25;
    const Scale scale(low, high, y + panel, y, true);
    std::string text = frame(y, "time");
    for (const double tick : log_ticks(low, high))
      text += tick_line(scale.at(tick), short_duration(tick));
    return text + lines(y, [&](const SweepRow& row) { return scale.at(row.median_ms); });
  }

  std::string rate_panel(double y) const {
    const auto rate = [&](const SweepRow& row) {
      return computes_ ? row.flops / row.median_ms * 1e-9 : row.bytes / row.median_ms * 1e-6;
    };
    double most = 0;
    for (const auto& series : series_)
      for (const auto* row : series.rows) most = std::max(most, 1.05 * rate(*row));
    const Scale scale(0, most, y + panel, y, false);
    std::string text = frame(y, computes_ ? "TFLOP/s" : "GB/s");
    const double step = most > 0 ? tick_step(most) : 1;
    for (int tick = 0; tick * step <= most; ++tick)
      text += tick_line(scale.at(tick * step), fmt::format("{:g}", tick * step));
    return text + lines(y, [&](const SweepRow& row) { return scale.at(rate(row)); });
  }

  std::string frame(double y, const std::string& name) const {
    std::string text = svg::label(left, y - 8, "class=\"faint\"", name);
    for (const auto value : labelled(axis_.values, 16)) {
      const double x = x_.at(static_cast<double>(value));
      text += svg::line(x, y, x, y + panel, "class=\"grid\"");
      text += svg::label(x, y + panel + 16, "class=\"faint\" text-anchor=\"middle\"",
                         std::to_string(value));
    }
    return text + svg::label(width - right, y + panel + 32, "class=\"faint\" text-anchor=\"end\"",
                             axis_.name + (axis_.geometric ? " (log scale)" : ""));
  }

  std::string tick_line(double y, const std::string& name) const {
    return svg::line(left, y, width - right, y, "class=\"grid\"") +
           svg::label(left - 8, y + 4, "class=\"faint\" text-anchor=\"end\"", name);
  }

  std::string hover(const Series& series, const SweepRow& row) const {
    return fmt::format("{} {}={}: {}{}{}", series.name, axis_.name, row.values[0], words_of(row),
                       row.bound.empty() ? "" : ", bound: " + row.bound,
                       row.bound_before.empty() ? "" : ", before: " + row.bound_before);
  }

  std::string lines(double top_y, const std::function<double(const SweepRow&)>& y_of) const {
    std::string text, changes;
    // Words beside the diamonds; where there is no room, the text under the pointer has them.
    svg::Labels labels(
        {.left = left, .right = width - right, .top = top_y, .bottom = top_y + panel});
    for (const auto& series : series_) {
      std::string places, points;
      for (const auto* row : series.rows) {
        const double x = x_.at(static_cast<double>(row->values[0])), y = y_of(*row);
        places += fmt::format("{}{:.1f},{:.1f}", places.empty() ? "" : " ", x, y);
        const std::string words = svg::escaped(hover(series, *row));
        points += fmt::format(
            "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"point\"><title>{}</title>"
            "</circle>\n",
            x, y, words);
        if (row->bound_before.empty()) continue;
        changes += fmt::format(
            "<path d=\"M{:.1f} {:.1f}l7 7l-7 7l-7 -7z\" class=\"change\"><title>{}</title>"
            "</path>\n",
            x, y - 7, words);
        changes += labels.near(x, y, change(*row));
      }
      text +=
          fmt::format("<g class=\"c{}\">\n<polyline points=\"{}\" class=\"series\"{}/>\n{}</g>\n",
                      series.colour, places, dash(series), points);
    }
    return text + changes;
  }

  static std::string dash(const Series& series) {
    const std::string pattern = dash_patterns[series.dash];
    return pattern.empty() ? "" : " stroke-dasharray=\"" + pattern + "\"";
  }

  std::size_t legend_columns() const {
    std::size_t longest = 1;
    for (const auto& series : series_) longest = std::max(longest, series.name.size());
    const double column = 50 + svg::character * static_cast<double>(longest);
    return std::max<std::size_t>(1, static_cast<std::size_t>((width - 20) / column));
  }

  std::size_t legend_rows() const {
    return (series_.size() + legend_columns() - 1) / legend_columns() + 1;
  }

  std::string legend(double y) const {
    const std::size_t columns = legend_columns();
    const double column = (width - 20) / static_cast<double>(columns);
    std::string text;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      const Series& series = series_[i];
      const double x = 10 + column * static_cast<double>(i % columns);
      const std::size_t row = i / columns;
      const double at = y + legend_row * static_cast<double>(row);
      text += fmt::format("<g class=\"c{}\">", series.colour) +
              svg::line(x, at - 4, x + 28, at - 4, "class=\"series\"" + dash(series)) + "</g>\n";
      text += svg::label(x + 34, at, "class=\"name\"", series.name);
    }
    return text + svg::label(10, y + legend_row * static_cast<double>(legend_rows() - 1),
                             "class=\"faint\"", "\u25C7 the bound changes: from \u2192 to");
  }

  const SweepResult& sweep_;
  const std::vector<Series> series_;
  const SweepAxis& axis_;
  const Scale x_;
  bool computes_ = false;
};

}  // namespace

std::string sweep_svg(const SweepResult& sweep) { return Picture(sweep).draw(); }

}  // namespace aisp::lab
