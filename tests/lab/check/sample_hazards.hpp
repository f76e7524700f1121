// Made-up findings, as objects and as lines of a findings file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "lab/check/hazard.hpp"

namespace aisp::lab {

inline Hazard sample_hazard(const std::string& rule = "shared-race", int first = 10,
                            int second = 20) {
  Hazard hazard;
  hazard.rule = rule;
  hazard.title = "a title";
  hazard.kernel = "sum";
  hazard.message = "write of 4 bytes and read of 4 bytes are not ordered";
  hazard.why = "no barrier between them";
  hazard.fix = "__syncthreads() between them";
  hazard.count = 3;
  for (const int line : {first, second})
    hazard.places.push_back({.what = line == first ? "write of 4 bytes" : "read of 4 bytes",
                             .block = {1, 0, 0},
                             .warp = line == first ? 0 : 2,
                             .lane = 5,
                             .address = "shared offset 128",
                             .ptx_line = line,
                             .ptx = "st.shared.f32 [%r" + std::to_string(line) + "], %f1;",
                             .file = "/src/sum.cu",
                             .line = line + 100});
  return hazard;
}

inline std::string line_of(const Hazard& hazard) {
  nlohmann::json json{
      {"rule", hazard.rule},     {"title", hazard.title},     {"severity", name_of(hazard.level)},
      {"kernel", hazard.kernel}, {"message", hazard.message}, {"why", hazard.why},
      {"fix", hazard.fix},       {"count", hazard.count},     {"graph", hazard.graph}};
  json["places"] = nlohmann::json::array();
  for (const auto& place : hazard.places)
    json["places"].push_back({{"what", place.what},
                              {"on_device", place.on_device},
                              {"block", place.block},
                              {"warp", place.warp},
                              {"lane", place.lane},
                              {"address", place.address},
                              {"ptx_line", place.ptx_line},
                              {"ptx", place.ptx},
                              {"file", place.file},
                              {"line", place.line}});
  return json.dump() + "\n";
}

}  // namespace aisp::lab
