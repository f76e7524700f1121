// Tables as ncu prints them: comma-separated, quoted, with its own messages in between.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aisp::lab::ncu {

using CsvRow = std::vector<std::string>;

// Rows of the text by RFC 4180. Lines that begin with "==" are messages and left out; a last row
// that was cut inside its quotes is left out, too.
std::vector<CsvRow> read_csv(std::string_view text);

}  // namespace aisp::lab::ncu
