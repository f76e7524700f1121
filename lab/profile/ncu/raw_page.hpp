// `ncu --csv --page raw`: a row for each kernel, a column for each metric, the units in a row of
// their own. Columns differ between versions; they are looked up by name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aisp::lab::ncu {

// A number in its base unit: bytes, nanoseconds, per cent, or none. Versions write "1,234.5" and
// "1234.5", and scale units as they like. Nothing where it is no number ("n/a", "").
std::optional<double> number(std::string_view text, std::string_view unit);

struct RawKernel {
  int range = -1;    // number in the NVTX range "aisp:<number>" that it was launched in; -1: none
  std::string name;  // as ncu wrote it
  std::vector<int> grid, block;
  std::map<std::string, double> metrics;  // in base units

  std::optional<double> metric(const std::string& name) const;
};

struct RawPage {
  std::vector<RawKernel> kernels;
  std::string problem;  // one line when the text holds no table, or a damaged one
};

RawPage read_raw_page(std::string_view text);

}  // namespace aisp::lab::ncu
