// SARIF 2.1.0 (OASIS): the form in which code hosts take findings and show them beside the source.
#include <algorithm>
#include <cctype>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/digest.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/check/report.hpp"
#include "lab/check/rules.hpp"
#include "lab/run/plan/build_info.hpp"

namespace aisp::lab {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* root = "%SRCROOT%";

Json message(const std::string& text) { return {{"text", text}}; }

// What is not allowed in a URI's path, as %XX.
std::string encoded(const std::string& path) {
  std::ostringstream text;
  for (const unsigned char c : path) {
    if (std::isalnum(c) != 0 ||
        std::string_view("-._~/").find(static_cast<char>(c)) != std::string_view::npos)
      text << c;
    else
      text << '%' << std::uppercase << std::hex << std::setw(2) << std::setfill('0') << int{c};
  }
  return text.str();
}

// Relative to the folder it ran in where it is below it: a code host knows no other paths.
Json artifact(const std::string& path, const std::filesystem::path& folder) {
  const std::string shown = shown_path(path, folder);
  if (shown.starts_with('/')) return {{"uri", "file://" + encoded(shown)}};
  return {{"uri", encoded(shown)}, {"uriBaseId", root}};
}

std::string pascal_case(const std::string& name) {
  std::string word;
  for (auto part : base::split(name, '-')) {
    part[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(part[0])));
    word += part;
  }
  return word;
}

const char* sarif_level(base::HazardLevel level) {
  return level == base::HazardLevel::error    ? "error"
         : level == base::HazardLevel::formal ? "warning"
                                              : "note";
}

Json rule_of(const base::HazardRuleText& rule) {
  return {{"id", rule.name},
          {"name", pascal_case(rule.name)},
          {"shortDescription", message(rule.title)},
          {"fullDescription", message(rule.why)},
          {"help", message(base::say(rule.why, " ", rule.remedy))},
          {"defaultConfiguration", {{"level", sarif_level(rule.level)}}}};
}

// A rule that only a newer checker knows is described by what its finding says.
Json rules_for(const std::vector<const Hazard*>& hazards, std::vector<std::string>& names) {
  Json rules = Json::array();
  for (const auto& rule : base::hazard_rules) {
    rules.push_back(rule_of(rule));
    names.emplace_back(rule.name);
  }
  for (const auto* hazard : hazards)
    if (std::find(names.begin(), names.end(), hazard->rule) == names.end()) {
      rules.push_back(rule_of({hazard->rule.c_str(), hazard->title.c_str(), hazard->title.c_str(),
                               hazard->fix.c_str(), hazard->level}));
      names.push_back(hazard->rule);
    }
  return rules;
}

std::string described(const HazardPlace& place) {
  std::vector<std::string> parts{place.what};
  if (place.on_device) {
    parts.push_back(
        base::say("block (", place.block[0], ",", place.block[1], ",", place.block[2], ")"));
    if (place.warp >= 0) parts.push_back(base::say("warp ", place.warp));
    if (place.lane >= 0) parts.push_back(base::say("lane ", place.lane));
  }
  if (!place.address.empty()) parts.push_back(place.address);
  if (place.ptx_line > 0) parts.push_back(base::say("PTX line ", place.ptx_line, ": ", place.ptx));
  return base::join(parts, ", ");
}

// Code hosts show files of the repository: of code in a library the line that it was inlined at.
std::pair<std::string, int> own_line(const HazardPlace& place,
                                     const std::filesystem::path& folder) {
  const auto below = [&](const std::string& file) {
    return !std::filesystem::path(shown_path(file, folder)).is_absolute();
  };
  if (!below(place.file))
    for (const auto& call : place.inlined)
      if (below(call.first)) return call;
  return {place.file, place.line};
}

Json location(const HazardPlace* place, const Hazard& hazard, const CheckReport& report) {
  Json json;
  if (place != nullptr && !place->file.empty()) {
    const auto [file, line] = own_line(*place, report.folder);
    json["physicalLocation"]["artifactLocation"] = artifact(file, report.folder);
    if (line > 0) json["physicalLocation"]["region"]["startLine"] = line;
  } else {
    const auto& program = report.options.program;
    json["physicalLocation"]["artifactLocation"] =
        artifact(program.empty() ? "aisp" : program[0], report.folder);
  }
  if (!hazard.kernel.empty())
    json["logicalLocations"] = Json::array({{{"name", hazard.kernel}, {"kind", "function"}}});
  if (place != nullptr) json["message"] = message(described(*place));
  return json;
}

// Over what stays when lines move: rule, kernel, and the text of the instructions.
std::string fingerprint(const Hazard& hazard) {
  std::string text = hazard.rule + "\n" + hazard.kernel;
  for (const auto& place : hazard.places)
    text += "\n" + (place.ptx.empty() ? place.what : place.ptx) + "\n" +
            std::filesystem::path(place.file).filename().string();
  return base::hex_digest(text);
}

std::string whole_message(const Hazard& hazard, const CheckOptions& options) {
  std::vector<std::string> parts{hazard.message};
  if (!hazard.why.empty()) parts.push_back("Why: " + hazard.why);
  if (!hazard.fix.empty()) parts.push_back("Fix: " + hazard.fix);
  for (const auto& edge : hazard.graph) parts.push_back(edge);
  for (const Hazard& one : hazard.consequences)
    parts.push_back(base::say("Consequence: ", one.rule, ": ", one.message));
  parts.push_back("Replay: " + replay_command(options, hazard.replay));
  return base::join(parts, "\n");
}

Json result_of(const Hazard& hazard, const CheckReport& report,
               const std::vector<std::string>& rules) {
  const auto rule = std::find(rules.begin(), rules.end(), hazard.rule) - rules.begin();
  Json json{{"ruleId", hazard.rule},
            {"ruleIndex", rule},
            {"level", sarif_level(hazard.level)},
            {"message", message(whole_message(hazard, report.options))}};
  const HazardPlace* first = hazard.places.empty() ? nullptr : &hazard.places[0];
  json["locations"] = Json::array({location(first, hazard, report)});
  for (std::size_t i = 1; i < hazard.places.size(); ++i) {
    json["relatedLocations"].push_back(location(&hazard.places[i], hazard, report));
    json["relatedLocations"].back()["id"] = i;
  }
  json["partialFingerprints"] = {{"aispHazard/v1", fingerprint(hazard)}};
  for (const Hazard& one : hazard.consequences) {
    Json consequence{{"ruleId", one.rule}, {"message", message(one.message)}};
    consequence["locations"] = Json::array();
    for (const HazardPlace& place : one.places)
      consequence["locations"].push_back(location(&place, one, report));
    json["properties"]["consequences"].push_back(std::move(consequence));
  }
  json["occurrenceCount"] = std::max<std::uint64_t>(hazard.count, 1);
  return json;
}

// The program's own failures are no results of a rule; SARIF keeps them with the invocation.
Json invocation_of(const CheckReport& report) {
  Json json{{"executionSuccessful", !report.interrupted}};
  json["toolExecutionNotifications"] = Json::array();
  for (const auto& run : report.runs)
    if (run.failed())
      json["toolExecutionNotifications"].push_back(
          {{"level", "error"},
           {"message",
            message(base::say("the program ended with ", end_of(run, report.options.timeout),
                              " under ", as_options(run.schedule)))}});
  json["exitCode"] = exit_of(report);
  return json;
}

}  // namespace

std::string sarif_report(const CheckReport& report) {
  std::vector<const Hazard*> all;
  for (const auto& hazard : report.hazards) all.push_back(&hazard);
  for (const auto& one : report.suppressed) all.push_back(&one.hazard);
  for (const auto& hazard : report.hazards)
    for (const auto& one : hazard.consequences) all.push_back(&one);

  std::vector<std::string> rules;
  Json driver{{"name", "aisp check"}, {"semanticVersion", version}};
  driver["rules"] = rules_for(all, rules);
  Json run{{"tool", {{"driver", driver}}}};
  run["invocations"] = Json::array({invocation_of(report)});
  run["originalUriBaseIds"][root]["uri"] = "file://" + encoded(report.folder.string()) + "/";
  run["results"] = Json::array();
  for (const auto& hazard : report.hazards) {
    run["results"].push_back(result_of(hazard, report, rules));
    // A tool that says of some results whether they are suppressed says it of all.
    run["results"].back()["suppressions"] = Json::array();
  }
  for (const auto& one : report.suppressed) {
    run["results"].push_back(result_of(one.hazard, report, rules));
    run["results"].back()["suppressions"] =
        Json::array({{{"kind", "external"}, {"justification", one.reason}}});
  }
  const Json json{{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
                  {"version", "2.1.0"},
                  {"runs", Json::array({run})}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace aisp::lab
