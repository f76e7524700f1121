#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "lab/check/report.hpp"
#include "lab/run/plan/build_info.hpp"

namespace aisp::lab {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Schedule& schedule) {
  return {{"order", name_of(schedule.order)}, {"seed", schedule.seed}, {"device", schedule.device}};
}

Json json_of(const HazardPlace& place) {
  Json inlined = Json::array();
  for (const auto& [file, line] : place.inlined)
    inlined.push_back({{"file", file}, {"line", line}});
  return {{"what", place.what},         {"on_device", place.on_device},
          {"block", place.block},       {"warp", place.warp},
          {"lane", place.lane},         {"address", place.address},
          {"ptx_line", place.ptx_line}, {"ptx", place.ptx},
          {"file", place.file},         {"line", place.line},
          {"inlined", inlined}};
}

Json json_of(const Hazard& hazard, const CheckOptions& options) {
  Json json{
      {"rule", hazard.rule},     {"title", hazard.title},     {"severity", name_of(hazard.level)},
      {"kernel", hazard.kernel}, {"message", hazard.message}, {"why", hazard.why},
      {"fix", hazard.fix},       {"count", hazard.count}};
  json["places"] = Json::array();
  for (const auto& place : hazard.places) json["places"].push_back(json_of(place));
  json["graph"] = hazard.graph;
  json["pairs"] = hazard.pairs;
  json["also"] = hazard.also;
  json["seen"] = json_of(hazard.seen);
  json["replay"] = replay_command(options, hazard.replay);
  json["consequences"] = Json::array();
  for (const auto& one : hazard.consequences) json["consequences"].push_back(json_of(one, options));
  return json;
}

Json json_of(const CheckRun& run, const CheckOptions& options) {
  Json json = json_of(run.schedule);
  json["exit"] = run.exit;
  json["signal"] = run.signal;
  json["timed_out"] = run.timed_out;
  json["interrupted"] = run.interrupted;
  json["findings"] = run.hazards.size();
  if (run.failed()) json["replay"] = replay_command(options, run.replay);
  return json;
}

}  // namespace

std::string json_report(const CheckReport& report) {
  Json json{{"version", 1}, {"aisp", version}};
  if (report.options.targets.empty())
    json["command"] = report.options.program;
  else
    json["command"] = {"--targets", report.options.targets};
  for (const char* list : {"runs", "findings", "suppressed"}) json[list] = Json::array();
  for (const auto& run : report.runs) json["runs"].push_back(json_of(run, report.options));
  for (const auto& hazard : report.hazards)
    json["findings"].push_back(json_of(hazard, report.options));
  for (const auto& one : report.suppressed) {
    json["suppressed"].push_back(json_of(one.hazard, report.options));
    json["suppressed"].back()["reason"] = one.reason;
  }
  json["summary"] = {{"exit", exit_of(report)},
                     {"errors", report.errors()},
                     {"formal", report.of_level(base::HazardLevel::formal)},
                     {"advice", report.of_level(base::HazardLevel::advice)},
                     {"consequences", report.consequences()},
                     {"suppressed", report.suppressed.size()},
                     {"unused_suppressions", report.unused},
                     {"interrupted", report.interrupted},
                     {"text", summary_line(report)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace aisp::lab
