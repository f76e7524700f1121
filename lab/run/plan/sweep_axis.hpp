// The axes of a sweep as they are typed: "S=512:32768:x2" doubles, "N=64:512:+64" adds, "D=64,128"
// lists; and their product.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace aisp::lab {

inline constexpr std::size_t most_sweep_points = 512;

struct SweepAxis {
  std::string name;
  std::vector<std::int64_t> values;  // ascending
  bool geometric = false;            // every value is the same factor above the one before
  bool operator==(const SweepAxis&) const = default;
};

// Refuses (Exit::usage) what is no axis, an empty range, an extent below 1 and a value given twice.
SweepAxis parse_axis(const std::string& text);

// Refuses no axis at all, one given twice, and more than most_sweep_points points.
std::vector<SweepAxis> parse_axes(const std::vector<std::string>& texts);

// Every combination of values, the last axis fastest.
std::vector<std::vector<std::int64_t>> product_of(const std::vector<SweepAxis>& axes);

}  // namespace aisp::lab
