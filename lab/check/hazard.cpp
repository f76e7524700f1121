#include "lab/check/hazard.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/record/file.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

HazardPlace place_of(const json& from) {
  HazardPlace place;
  from.at("what").get_to(place.what);
  from.at("on_device").get_to(place.on_device);
  from.at("block").get_to(place.block);
  from.at("warp").get_to(place.warp);
  from.at("lane").get_to(place.lane);
  from.at("address").get_to(place.address);
  from.at("ptx_line").get_to(place.ptx_line);
  from.at("ptx").get_to(place.ptx);
  from.at("file").get_to(place.file);
  from.at("line").get_to(place.line);
  for (const auto& call : from.value("inlined", json::array()))
    place.inlined.emplace_back(call.at("file").get<std::string>(), call.at("line").get<int>());
  return place;
}

// What a newer checker calls otherwise counts.
base::HazardLevel level_named(const std::string& name) {
  for (const auto level : {base::HazardLevel::formal, base::HazardLevel::advice})
    if (name == name_of(level)) return level;
  return base::HazardLevel::error;
}

Hazard hazard_of(const json& from) {
  Hazard hazard;
  from.at("rule").get_to(hazard.rule);
  from.at("title").get_to(hazard.title);
  hazard.level = level_named(from.at("severity").get<std::string>());
  from.at("kernel").get_to(hazard.kernel);
  from.at("message").get_to(hazard.message);
  from.at("why").get_to(hazard.why);
  from.at("fix").get_to(hazard.fix);
  from.at("count").get_to(hazard.count);
  for (const auto& place : from.at("places")) hazard.places.push_back(place_of(place));
  from.at("graph").get_to(hazard.graph);
  hazard.pairs = from.value("pairs", hazard.pairs);
  hazard.also = from.value("also", hazard.also);
  hazard.causes = from.value("causes", hazard.causes);
  return hazard;
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code none;
  for (const auto& item : std::filesystem::directory_iterator(folder, none))
    if (item.path().extension() == ".jsonl") files.push_back(item.path());
  // Process numbers grow: the parent's file comes before its children's.
  const auto number = [](const std::filesystem::path& path) {
    return base::parse_integer(path.stem().string()).value_or(0);
  };
  std::sort(files.begin(), files.end(),
            [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return files;
}

}  // namespace

std::string as_options(const Schedule& schedule) {
  std::string options = base::say("--order ", name_of(schedule.order));
  if (schedule.order == ScheduleOrder::random) options += base::say(" --seed ", schedule.seed);
  if (!schedule.device.empty()) options += " --device " + schedule.device;
  return options;
}

std::string identity(const Hazard& hazard) {
  std::vector<std::string> places;
  for (const auto& place : hazard.places)
    places.push_back(place.on_device ? base::say(place.file, ":", place.ptx_line) : place.what);
  // Which of the two came first is the schedule's choice.
  std::sort(places.begin(), places.end());
  return hazard.rule + "\n" + hazard.kernel + "\n" + base::join(places, "\n");
}

bool same_hazard(const Hazard& a, const Hazard& b) {
  if (a.rule != b.rule || a.kernel != b.kernel) return false;
  const bool common = std::any_of(a.causes.begin(), a.causes.end(), [&](const std::string& cause) {
    return std::find(b.causes.begin(), b.causes.end(), cause) != b.causes.end();
  });
  return common || identity(a) == identity(b);
}

void merge(std::vector<Hazard>& all, const std::vector<Hazard>& more) {
  for (const auto& hazard : more) {
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const Hazard& known) { return same_hazard(known, hazard); });
    if (same == all.end()) {
      all.push_back(hazard);
      continue;
    }
    same->count += hazard.count;
    same->pairs = std::max(same->pairs, hazard.pairs);
    for (const std::string& cause : hazard.causes)
      if (std::find(same->causes.begin(), same->causes.end(), cause) == same->causes.end())
        same->causes.push_back(cause);
  }
}

Watched read_hazards(const std::filesystem::path& folder, const Schedule& schedule) {
  Watched watched;
  for (const auto& file : files_in(folder)) {
    ++watched.files;
    std::vector<Hazard> of_process;
    int number = 0;
    for (const auto& line : base::split(read_whole(file), '\n')) {
      ++number;
      if (line.empty()) continue;
      try {
        of_process.push_back(hazard_of(json::parse(line)));
      } catch (const json::exception& error) {
        base::refuse(base::Exit::environment, file.string(), ":", number,
                     ": not a finding of this version's checker: ", error.what());
      }
      of_process.back().seen = of_process.back().replay = schedule;
    }
    merge(watched.hazards, of_process);
  }
  return watched;
}

}  // namespace aisp::lab
