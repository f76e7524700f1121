#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace aisp::base {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) text += separator;
    text += parts[i];
  }
  return text;
}

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int above = row[j];
      const int change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({change, above + 1, row[j - 1] + 1});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates) {
  // Half the word may be wrong: beyond that a suggestion misleads more than it helps.
  int best = static_cast<int>(std::max<std::size_t>(2, word.size() / 2)) + 1;
  std::optional<std::string> found;
  for (const auto& candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (!candidate.empty() && distance < best) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

namespace {

std::string print(const char* format, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

}  // namespace

std::string with_prefix(double value, std::string_view unit) {
  constexpr std::array prefixes{"", "k", "M", "G", "T", "P"};
  std::size_t step = 0;
  while (std::abs(value) >= 1000.0 && step + 1 < prefixes.size()) {
    value /= 1000.0;
    ++step;
  }
  const char* format = std::abs(value) >= 100 ? "%.1f" : std::abs(value) >= 10 ? "%.2f" : "%.3f";
  return print(format, value) + " " + prefixes[step] + std::string(unit);
}

std::string duration(double milliseconds) {
  if (milliseconds < 1.0) return print("%.2f us", milliseconds * 1e3);
  if (milliseconds < 1000.0) return print("%.3f ms", milliseconds);
  return print("%.2f s", milliseconds / 1e3);
}

}  // namespace aisp::base
