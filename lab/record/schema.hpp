// Documents against their JSON schemas (draft 7).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace aisp::lab {

// One line per violation, the deepest and thus most telling first: "/entries/x/median_ms: …".
// Empty when the document is as the schema says.
std::vector<std::string> schema_violations(std::string_view schema, const nlohmann::json& document);

}  // namespace aisp::lab
