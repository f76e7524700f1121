// What the report page shows, as one JSON document: runs, their rows with all samples, and what was
// made of them. lab/report/page/web/source/data.js reads it.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "lab/report/page/input.hpp"

namespace aisp::lab {

// What the run comes to against the expectations of its chapters, where there are any.
std::vector<Finding> findings_of(const PageInput& input, const RunFile& run);

// Two runs are compared as well.
nlohmann::json page_document(const PageInput& input);

}  // namespace aisp::lab
