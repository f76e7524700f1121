// Small text tools: names close to a misspelt one, whole-token number parsing, human units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aisp::base {

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

// Number of single-character edits that turn one word into the other.
int edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, or nothing when none is near enough to be a likely typo.
std::optional<std::string> nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

// The whole of `text` as a decimal integer; nothing when it is not one or does not fit.
std::optional<std::int64_t> parse_integer(std::string_view text);

// 1234567 -> "1.235 M" with decimal prefixes, three significant decimals.
std::string with_prefix(double value, std::string_view unit);

// Milliseconds as the reader wants them: "12.3 us", "4.56 ms", "1.20 s".
std::string duration(double milliseconds);

}  // namespace aisp::base
