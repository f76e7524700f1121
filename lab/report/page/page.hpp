// The report page: one HTML file that holds its script, its style and its data, and asks nobody for
// anything. The page itself is made by web/build.mjs and travels inside the program.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace aisp::lab {

// The page with this document in it. Whatever the document's texts are, none of them can end the
// element that holds them.
std::string report_page(const nlohmann::json& document);

}  // namespace aisp::lab
