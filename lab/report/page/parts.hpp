// The parts of the page's document that are made of more than a run's rows.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "lab/report/page/input.hpp"

namespace aisp::lab::page {

// (entry, rung) of a run -> place among the document's rows.
using RowPlaces = std::map<std::pair<std::string, std::string>, std::size_t>;

// Six digits: more than any timer has, and half the bytes.
double rounded(double value);

// The words as a shell takes them.
std::string shell_line(const std::vector<std::string>& words);

nlohmann::json history_part(const std::vector<HistoryRow>& rows, const std::string& chapter);
nlohmann::json sweep_part(const RunFile& run, std::size_t place);  // null: no sweep
nlohmann::json trace_part(const PageRun& run, const RowPlaces& places);
nlohmann::json profile_part(const RunFile& run, const RowPlaces& places);
nlohmann::json findings_part(const PageFindings& findings);
nlohmann::json comparison_part(const RunFile& a, const RunFile& b);

}  // namespace aisp::lab::page
