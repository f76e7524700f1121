// The table of what is modelled, for docs/simulator.md: read from the opcode table, never by hand.
#pragma once

#include <string>

namespace aisp::sim {

std::string coverage_table();  // Markdown

// The page with its generated part renewed: what stands between the two marker lines.
std::string with_coverage(const std::string& page);

}  // namespace aisp::sim
