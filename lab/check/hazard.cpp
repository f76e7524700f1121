#include "lab/check/hazard.hpp"

#include <algorithm>
#include <map>
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
  hazard.between = from.value("between", hazard.between);
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
  const bool overlap = a.between.first <= b.between.second && b.between.first <= a.between.second;
  const bool common =
      overlap && std::any_of(a.causes.begin(), a.causes.end(), [&](const std::string& cause) {
        return std::find(b.causes.begin(), b.causes.end(), cause) != b.causes.end();
      });
  return common || identity(a) == identity(b);
}

namespace {

// The identities under which `all` has, or will have, those of `more`.
std::map<std::string, std::string> names_in(const std::vector<Hazard>& all,
                                            const std::vector<Hazard>& more) {
  std::map<std::string, std::string> names;
  std::vector<const Hazard*> known;
  for (const Hazard& hazard : all) known.push_back(&hazard);
  for (const Hazard& hazard : more) {
    const auto same = std::find_if(known.begin(), known.end(), [&](const Hazard* other) {
      return same_hazard(*other, hazard);
    });
    names[identity(hazard)] = identity(same == known.end() ? hazard : **same);
    if (same == known.end()) known.push_back(&hazard);
  }
  return names;
}

// What `hazard`, found again as `known`, is a consequence of.
void merge_origins(Hazard& known, const Hazard& hazard) {
  if (known.follows.empty() || hazard.follows.empty()) {
    known.follows.clear();
    return;
  }
  for (const std::string& root : hazard.follows)
    if (std::find(known.follows.begin(), known.follows.end(), root) == known.follows.end())
      known.follows.push_back(root);
}

}  // namespace

void merge(std::vector<Hazard>& all, const std::vector<Hazard>& more) {
  const auto names = names_in(all, more);
  for (Hazard hazard : more) {
    for (std::string& root : hazard.follows)
      if (const auto name = names.find(root); name != names.end()) root = name->second;
    std::erase(hazard.follows, names.at(identity(hazard)));  // one with its own root by now
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const Hazard& known) { return same_hazard(known, hazard); });
    if (same == all.end()) {
      all.push_back(hazard);
      continue;
    }
    same->count += hazard.count;
    merge_origins(*same, hazard);
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
    std::vector<std::vector<std::size_t>> follows;  // numbers in the file
    std::map<std::size_t, std::string> identities;  // by number
    int number = 0;
    for (const auto& line : base::split(read_whole(file), '\n')) {
      ++number;
      if (line.empty()) continue;
      try {
        const json parsed = json::parse(line);
        of_process.push_back(hazard_of(parsed));
        follows.push_back(parsed.value("follows", std::vector<std::size_t>{}));
        identities[parsed.value("number", of_process.size() - 1)] = identity(of_process.back());
      } catch (const json::exception& error) {
        base::refuse(base::Exit::environment, file.string(), ":", number,
                     ": not a finding of this version's checker: ", error.what());
      }
      of_process.back().seen = of_process.back().replay = schedule;
    }
    for (std::size_t i = 0; i < of_process.size(); ++i)
      for (const std::size_t root : follows[i])
        if (const auto at = identities.find(root); at != identities.end())
          of_process[i].follows.push_back(at->second);
    merge(watched.hazards, of_process);
  }
  return watched;
}

}  // namespace aisp::lab
