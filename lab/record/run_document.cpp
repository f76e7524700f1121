// run.json: the journal's records folded into one document, and back.
#include <map>
#include <nlohmann/json.hpp>

#include "base/refuse.hpp"
#include "lab/record/run_file.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

// What belongs to one row, under these names; `samples` of a row is their count already.
constexpr const char* check_list = "checks";
constexpr const char* sample_list = "timed";
constexpr const char* profile_list = "profiles";
constexpr const char* trace_list = "traces";

json without_kind(const Record& record) {
  json object = to_json(record);
  object.erase("kind");
  return object;
}

// Records stand under their row, which says entry, rung and attempt for all of them.
template <class R>
void fold(json& rows, json& unfinished, const std::map<std::string, std::size_t>& places,
          const std::vector<R>& records, const char* list) {
  for (const R& record : records) {
    json object = without_kind(record);
    const auto place =
        places.find(base::say(record.entry, '\n', record.rung, '\n', record.attempt));
    if (place == places.end()) {
      unfinished[list].push_back(std::move(object));
      continue;
    }
    for (const char* name : {"entry", "rung", "attempt"}) object.erase(name);
    rows[place->second][list].push_back(std::move(object));
  }
}

const json& member(const json& object, const char* name, json::value_t type) {
  static const json empty_object = json::object(), empty_array = json::array();
  const auto found = object.find(name);
  if (found == object.end()) return type == json::value_t::object ? empty_object : empty_array;
  if (found->type() != type)
    base::refuse(base::Exit::environment, "field \"", name, "\" must be ",
                 type == json::value_t::object ? "an object" : "a list", ", got ",
                 found->type_name());
  return *found;
}

Record read_kind(json object, const char* kind) {
  if (object.is_object()) object["kind"] = kind;
  return record_from_json(object);
}

void unfold(RunFile& run, const json& holder, const json& row) {
  constexpr std::pair<const char*, const char*> lists[] = {{check_list, "check"},
                                                           {sample_list, "sample"},
                                                           {profile_list, "profile"},
                                                           {trace_list, "trace"}};
  for (const auto& [list, kind] : lists)
    for (json object : member(holder, list, json::value_t::array)) {
      if (object.is_object() && row.is_object())
        for (const char* name : {"entry", "rung", "attempt"}) object[name] = row.at(name);
      add_record(run, read_kind(std::move(object), kind));
    }
}

}  // namespace

json run_document(const RunFile& run) {
  json attempts = json::array(), rows = json::array(), unfinished = json::object();
  std::map<std::string, std::size_t> places;
  for (const auto& attempt : run.attempts) attempts.push_back(without_kind(attempt));
  for (const auto& row : run.rows) {
    places.try_emplace(base::say(row.entry, '\n', row.rung, '\n', row.attempt), rows.size());
    rows.push_back(without_kind(row));
  }
  fold(rows, unfinished, places, run.checks, check_list);
  fold(rows, unfinished, places, run.samples, sample_list);
  fold(rows, unfinished, places, run.profiles, profile_list);
  fold(rows, unfinished, places, run.traces, trace_list);

  json document{{"schema", run_schema},
                {"run", without_kind(run.header)},
                {"attempts", std::move(attempts)},
                {"rows", std::move(rows)}};
  if (!unfinished.empty()) document["unfinished"] = std::move(unfinished);
  if (run.device) document["device"] = without_kind(*run.device);
  if (run.end) document["end"] = without_kind(*run.end);
  if (!run.warning.empty()) document["warning"] = run.warning;
  return document;
}

RunFile run_from_document(const json& document) {
  if (!document.is_object() || !document.contains("schema"))
    base::refuse(base::Exit::environment, "not a run document: no field \"schema\"");
  if (document["schema"] != run_schema)
    base::refuse(base::Exit::environment, "written with run schema ", document["schema"].dump(),
                 ", this aisp reads schema ", run_schema, "; use the aisp that wrote it");
  RunFile run;
  run.header =
      std::get<RunHeader>(read_kind(member(document, "run", json::value_t::object), "run"));
  if (document.contains("device")) add_record(run, read_kind(document["device"], "device"));
  for (const auto& object : member(document, "attempts", json::value_t::array))
    add_record(run, read_kind(object, "attempt"));
  for (const auto& object : member(document, "rows", json::value_t::array)) {
    add_record(run, read_kind(object, "row"));
    unfold(run, object, object);
  }
  unfold(run, member(document, "unfinished", json::value_t::object), json());
  if (document.contains("end")) add_record(run, read_kind(document["end"], "end"));
  const auto warning = document.find("warning");
  if (warning != document.end() && warning->is_string())
    run.warning = warning->get_ref<const std::string&>();
  return run;
}

}  // namespace aisp::lab
