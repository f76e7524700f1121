// `ncu --csv --page source`: for each kernel a table with a row per source line, how many samples
// found a warp there and what it waited for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/record/records.hpp"

namespace aisp::lab::ncu {

struct SourcePage {
  std::string kernel;
  std::vector<LineRecord> lines;  // most samples first, those that matter
};

// In the order of the kernels. What cannot be read is left out.
std::vector<SourcePage> read_source_pages(std::string_view text, std::size_t most_lines = 12);

}  // namespace aisp::lab::ncu
