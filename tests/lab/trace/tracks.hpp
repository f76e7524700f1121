// A Chrome trace read back: its tracks, and what overlaps on them without lying in one another.
#pragma once

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/files.hpp"

namespace aisp::lab {

inline std::string trace_schema() {
  return text_of(std::filesystem::path(AISP_SOURCE_DIR) / "lab/trace/trace.schema.json");
}

struct ReadTrack {
  std::string process, name;
  std::vector<std::pair<double, double>> spans;  // microseconds
};

// By process and number.
inline std::map<std::pair<int, int>, ReadTrack> tracks_of(const nlohmann::json& document) {
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, ReadTrack> tracks;
  for (const auto& event : document.at("traceEvents")) {
    const int process = event.at("pid"), number = event.at("tid");
    if (event["name"] == "process_name") processes[process] = event["args"]["name"];
    if (event["name"] == "thread_name") tracks[{process, number}].name = event["args"]["name"];
    if (event["ph"] == "X")
      tracks.at({process, number})
          .spans.emplace_back(event["ts"], event["ts"].get<double>() + event["dur"].get<double>());
  }
  for (auto& [key, track] : tracks) track.process = processes.at(key.first);
  return tracks;
}

inline int partial_overlaps(const std::map<std::pair<int, int>, ReadTrack>& tracks) {
  constexpr double rounding = 1e-6;
  int found = 0;
  for (const auto& [key, track] : tracks)
    for (const auto& [start, end] : track.spans)
      for (const auto& [other_start, other_end] : track.spans)
        if (start < other_start - rounding && other_start < end - rounding &&
            end < other_end - rounding)
          ++found;
  return found;
}

}  // namespace aisp::lab
