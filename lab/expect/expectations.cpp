// Reading and writing expectation files.
#include "lab/expect/expectations.hpp"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <system_error>

#include "base/refuse.hpp"
#include "lab/record/file.hpp"
#include "lab/record/schema.hpp"

namespace aisp::embedded {
extern const std::string_view expectations_schema;
}

namespace aisp::lab {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view restore =
    "restore it with `git checkout` or delete it and run with --update-expectations";

[[noreturn]] void refuse_content(const std::filesystem::path& path, const auto&... parts) {
  base::refuse(base::Exit::environment, "expectations ", path.string(), ": ", parts...);
}

// The schema has let no other word through.
template <Named E>
E named_at(const json& object, const char* field) {
  return value_named<E>(object.at(field).get_ref<const std::string&>()).value();
}

Provenance provenance_from(const json& object) {
  Provenance from{.date = object.at("date"),
                  .version = object.at("version"),
                  .commit = object.at("commit"),
                  .device = object.at("device"),
                  .driver = object.at("driver"),
                  .runtime = object.at("runtime"),
                  .timer = named_at<Timer>(object, "timer"),
                  .l2 = named_at<L2Mode>(object, "l2"),
                  .command = object.at("command"),
                  .samples = object.at("samples"),
                  .sm_mhz = std::nullopt,
                  .simulated = object.value("simulated", ""),
                  .seed = object.value("seed", std::uint64_t{0})};
  if (object.contains("sm_mhz")) from.sm_mhz = object["sm_mhz"].get<double>();
  return from;
}

ordered_json to_ordered(const Provenance& from) {
  ordered_json object{{"date", from.date},
                      {"version", from.version},
                      {"commit", from.commit},
                      {"device", from.device},
                      {"driver", from.driver},
                      {"runtime", from.runtime},
                      {"timer", name_of(from.timer)},
                      {"l2", name_of(from.l2)},
                      {"command", from.command},
                      {"samples", from.samples}};
  if (from.sm_mhz) object["sm_mhz"] = *from.sm_mhz;
  if (!from.simulated.empty()) object["simulated"] = from.simulated;
  if (from.seed != 0) object["seed"] = from.seed;
  return object;
}

ExpectedTime time_from(const json& object) {
  ExpectedTime time{.median_ms = object.at("median_ms"),
                    .low_ms = object.at("low_ms"),
                    .high_ms = object.at("high_ms"),
                    .samples = object.at("samples"),
                    .spread = object.at("spread"),
                    .tolerance = object.at("tolerance"),
                    .why = object.value("why", ""),
                    .best_ms = object.value("best_ms", object.at("median_ms").get<double>()),
                    .run = object.at("run")};
  if (object.contains("host_share")) time.host_share = object["host_share"].get<double>();
  for (const auto& [count, name] : names_of(Count{}))
    if (object.contains("counts") && object["counts"].contains(std::string(name)))
      time.counts[count] = object["counts"][std::string(name)].get<double>();
  return time;
}

// "512" and not "512.0": counts are whole numbers.
ordered_json json_of(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? ordered_json(whole) : ordered_json(value);
}

ordered_json to_ordered(const ExpectedTime& time) {
  ordered_json object{{"median_ms", time.median_ms}, {"low_ms", time.low_ms},
                      {"high_ms", time.high_ms},     {"samples", time.samples},
                      {"spread", time.spread},       {"tolerance", time.tolerance}};
  if (!time.why.empty()) object["why"] = time.why;
  if (time.best_ms > 0 && time.best_ms < time.median_ms) object["best_ms"] = time.best_ms;
  if (time.host_share) object["host_share"] = *time.host_share;
  for (const auto& [count, value] : time.counts) object["counts"][name_of(count)] = json_of(value);
  object["run"] = time.run;
  return object;
}

void check_schema(const std::filesystem::path& path, const json& document) {
  const auto schema = document.is_object() ? document.find("schema") : document.end();
  if (schema != document.end() && schema->is_number_integer() &&
      !(*schema >= oldest_expectations_schema && *schema <= expectations_schema))
    refuse_content(path, "schema ", schema->dump(), ", this aisp reads schemas ",
                   oldest_expectations_schema, " to ", expectations_schema,
                   "; use the aisp that wrote it, or delete the file and run ",
                   "with --update-expectations");
  const auto violations = schema_violations(embedded::expectations_schema, document);
  if (!violations.empty()) refuse_content(path, violations.front(), "; ", restore);
}

// What a schema cannot say: the name of the file, the order of the interval, runs that exist.
void check_content(const std::filesystem::path& path, const Expectations& expectations) {
  const auto name = expectations_path("", expectations.hardware);
  if (path.filename() != name)
    refuse_content(path, "its hardware is \"", expectations.hardware, "\", so its name must be ",
                   name.string(), "; rename it or correct the field");
  for (const auto& [entry, rungs] : expectations.entries) {
    if (!entry.starts_with(expectations.chapter + ":"))
      refuse_content(path, "entry \"", entry, "\" is not of ", expectations.chapter, "; ", restore);
    for (const auto& [rung, time] : rungs) {
      if (!(time.low_ms <= time.median_ms && time.median_ms <= time.high_ms))
        refuse_content(path, entry, ' ', rung, ": median_ms ", time.median_ms, " is not between ",
                       time.low_ms, " and ", time.high_ms, "; ", restore);
      if (!expectations.provenance.contains(time.run))
        refuse_content(path, entry, ' ', rung, ": run \"", time.run, "\" has no provenance; ",
                       restore);
    }
  }
}

}  // namespace

const ExpectedTime* Expectations::find(const std::string& entry, const std::string& rung) const {
  const auto rungs = entries.find(entry);
  if (rungs == entries.end()) return nullptr;
  const auto time = rungs->second.find(rung);
  return time == rungs->second.end() ? nullptr : &time->second;
}

std::filesystem::path expectations_path(const std::filesystem::path& folder,
                                        const std::string& hardware) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (hardware.empty() || !std::all_of(hardware.begin(), hardware.end(), plain))
    base::refuse(base::Exit::usage, "\"", hardware,
                 "\" cannot name an expectation file: only a-z, ", "0-9, _ and - are allowed");
  return folder / ("expectations_" + hardware + ".json");
}

std::optional<Expectations> load_expectations(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return std::nullopt;
  const std::string text = read_whole(path);
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded())
    refuse_content(path, "not JSON (", text.size(), " bytes, cut short or damaged); ", restore);
  check_schema(path, document);

  Expectations expectations{.hardware = document["hardware"],
                            .chapter = document["chapter"],
                            .provenance = {},
                            .entries = {}};
  for (const auto& [run, object] : document["provenance"].items())
    expectations.provenance[run] = provenance_from(object);
  for (const auto& [entry, rungs] : document["entries"].items())
    for (const auto& [rung, object] : rungs.items())
      expectations.entries[entry][rung] = time_from(object);
  check_content(path, expectations);
  return expectations;
}

void save_expectations(const std::filesystem::path& path, const Expectations& expectations) {
  ordered_json provenance = ordered_json::object(), entries = ordered_json::object();
  for (const auto& [run, from] : expectations.provenance) provenance[run] = to_ordered(from);
  for (const auto& [entry, rungs] : expectations.entries)
    for (const auto& [rung, time] : rungs) entries[entry][rung] = to_ordered(time);
  const ordered_json document{{"schema", expectations_schema},
                              {"hardware", expectations.hardware},
                              {"chapter", expectations.chapter},
                              {"provenance", provenance},
                              {"entries", entries}};
  replace_file(path, document.dump(2, ' ', false, json::error_handler_t::replace) + "\n",
               "check that the chapter's folder exists and can be written");
}

}  // namespace aisp::lab
