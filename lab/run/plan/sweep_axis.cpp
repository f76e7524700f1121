#include "lab/run/plan/sweep_axis.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

using Values = std::vector<std::int64_t>;

constexpr const char* forms = "write S=512:32768:x2, S=512:4096:+512 or S=512,1024";

template <class... Parts>
[[noreturn]] void refuse_axis(const std::string& text, const Parts&... parts) {
  base::refuse(base::Exit::usage, "--axis '", text, "': ", parts...);
}

std::int64_t parse_value(const std::string& word, const std::string& text) {
  const auto value = base::parse_integer(word);
  if (!value) refuse_axis(text, "'", word, "' is not a whole number of 64 bits; ", forms);
  if (*value < 1) refuse_axis(text, *value, " must be at least 1");
  return *value;
}

void add_value(Values& values, std::int64_t value, const std::string& text) {
  if (values.size() == most_sweep_points)
    refuse_axis(text, "more than ", most_sweep_points, " values; take a larger step");
  values.push_back(value);
}

// "512:32768:x2"
SweepAxis parse_range(const std::string& name, const std::vector<std::string>& parts,
                      const std::string& text) {
  if (parts.size() != 3 || parts[2].size() < 2 || (parts[2][0] != 'x' && parts[2][0] != '+'))
    refuse_axis(text, "a range is first:last:xFACTOR or first:last:+STEP; ", forms);
  const std::int64_t first = parse_value(parts[0], text), last = parse_value(parts[1], text);
  const bool factor = parts[2][0] == 'x';
  const std::int64_t step = parse_value(parts[2].substr(1), text);
  if (first > last) refuse_axis(text, "nothing lies between ", first, " and ", last);
  if (factor && step < 2) refuse_axis(text, "a factor of 1 stays at ", first);
  SweepAxis axis{.name = name, .values = {}, .geometric = factor};
  std::int64_t value = first;
  add_value(axis.values, value, text);
  while (factor ? value <= last / step : value <= last - step) {
    value = factor ? value * step : value + step;
    add_value(axis.values, value, text);
  }
  return axis;
}

// "64,128": drawn with equal distances from three values with one factor on.
SweepAxis parse_list(const std::string& name, const std::vector<std::string>& words,
                     const std::string& text) {
  SweepAxis axis{.name = name, .values = {}};
  for (const auto& word : words) add_value(axis.values, parse_value(word, text), text);
  Values& values = axis.values;
  std::sort(values.begin(), values.end());
  const auto twice = std::adjacent_find(values.begin(), values.end());
  if (twice != values.end()) refuse_axis(text, *twice, " is there twice");
  axis.geometric = values.size() > 2;
  for (std::size_t i = 2; i < values.size(); ++i)
    axis.geometric = axis.geometric && static_cast<double>(values[i]) / values[i - 1] ==
                                           static_cast<double>(values[1]) / values[0];
  return axis;
}

}  // namespace

SweepAxis parse_axis(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    refuse_axis(text, "an axis is a name and values; ", forms);
  const std::string name = text.substr(0, equals), values = text.substr(equals + 1);
  if (values.find(':') != std::string::npos)
    return parse_range(name, base::split(values, ':'), text);
  return parse_list(name, base::split(values, ','), text);
}

std::vector<SweepAxis> parse_axes(const std::vector<std::string>& texts) {
  if (texts.empty()) base::refuse(base::Exit::usage, "a sweep needs an --axis; ", forms);
  std::vector<SweepAxis> axes;
  std::vector<std::string> counts;
  std::size_t points = 1;
  for (const auto& text : texts) {
    axes.push_back(parse_axis(text));
    const SweepAxis& axis = axes.back();
    for (std::size_t i = 0; i + 1 < axes.size(); ++i)
      if (axes[i].name == axis.name) refuse_axis(text, axis.name, " was given before");
    counts.push_back(std::to_string(axis.values.size()));
    points = std::min(points, most_sweep_points + 1) * axis.values.size();
  }
  if (points > most_sweep_points)
    base::refuse(base::Exit::usage, "a sweep takes at most ", most_sweep_points,
                 " points; these axes have ", base::join(counts, " x "));
  return axes;
}

std::vector<std::vector<std::int64_t>> product_of(const std::vector<SweepAxis>& axes) {
  std::vector<Values> product{{}};
  for (const auto& axis : axes) {
    std::vector<Values> longer;
    for (const auto& point : product)
      for (const auto value : axis.values) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    product = std::move(longer);
  }
  return product;
}

}  // namespace aisp::lab
