#include <algorithm>
#include <sstream>

#include "base/file.hpp"
#include "base/kernel_name.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/check/report.hpp"

namespace aisp::lab {
namespace {

struct Paint {
  bool on;
  std::string operator()(const char* code, const std::string& text) const {
    return on ? base::say("\033[", code, "m", text, "\033[0m") : text;
  }
};

constexpr const char* red = "1;31";
constexpr const char* yellow = "1;33";
constexpr const char* bold = "1";

// "" where the file cannot be read or is shorter now.
std::string source_line(const std::filesystem::path& path, int number) {
  std::istringstream file(base::read_file(path).text);  // debug information may name anything
  std::string line;
  for (int at = 0; at < number; ++at)
    if (!std::getline(file, line)) return "";
  const auto first = line.find_first_not_of(" \t");
  return first == std::string::npos ? "" : line.substr(first);
}

// "block (0,0,0), warp 1, lane 3"; what is nobody's in particular is left out.
std::string who(const HazardPlace& place) {
  if (!place.on_device) return "host";
  std::vector<std::string> numbers;
  for (const int number : place.block) numbers.push_back(std::to_string(number));
  std::string text = "block (" + base::join(numbers, ",") + ")";
  if (place.warp >= 0) text += base::say(", warp ", place.warp);
  if (place.lane >= 0) text += base::say(", lane ", place.lane);
  return text;
}

void add_place(std::string& text, const HazardPlace& place, const CheckReport& report) {
  const bool has_source = !place.file.empty();
  std::string at = has_source ? base::say(shown_path(place.file, report.folder), ":", place.line)
                   : place.ptx_line > 0 ? base::say("PTX line ", place.ptx_line)
                                        : place.what;
  text += "  --> " + at + "\n";
  if (has_source)
    if (const auto line = source_line(place.file, place.line); !line.empty())
      text += "      | " + line + "\n";
  if (!place.inlined.empty()) {
    std::vector<std::string> calls;
    for (const auto& [file, line] : place.inlined)
      calls.push_back(base::say(shown_path(file, report.folder), ":", line));
    text += "      inlined at " + base::join(calls, ", at ") + "\n";
    const auto& [file, line] = place.inlined.back();
    if (const auto outermost = source_line(file, line); !outermost.empty())
      text += "      | " + outermost + "\n";
  }
  std::vector<std::string> parts;
  if (at != place.what && !place.what.empty()) parts.push_back(place.what);
  parts.push_back(who(place));
  if (!place.address.empty()) parts.push_back(place.address);
  text += "      " + base::join(parts, "; ") + "\n";
  if (place.ptx.empty()) return;
  text += "      ";
  if (has_source && place.ptx_line > 0) text += base::say("PTX line ", place.ptx_line, ": ");
  text += place.ptx + "\n";
}

// What no GPU has been seen to do wrong is a line.
std::string formal_tail(const Hazard& hazard, const CheckReport& report) {
  std::string text = base::say("; seen ", hazard.count, hazard.count == 1 ? " time" : " times");
  const auto known = std::find_if(hazard.places.begin(), hazard.places.end(),
                                  [](const HazardPlace& place) { return !place.file.empty(); });
  if (known != hazard.places.end()) {
    const auto& [file, line] =
        known->inlined.empty() ? std::pair(known->file, known->line) : known->inlined.back();
    text += base::say(", first at ", shown_path(file, report.folder), ":", line);
  }
  return text + " (--strict makes it an error)\n";
}

// "a.cu:31 with a.cu:44", the user's lines rather than a library's.
std::string places_in_short(const Hazard& hazard, const CheckReport& report) {
  std::vector<std::string> places;
  for (const HazardPlace& place : hazard.places) {
    const auto& [file, line] =
        place.inlined.empty() ? std::pair(place.file, place.line) : place.inlined.back();
    places.push_back(!file.empty()        ? base::say(shown_path(file, report.folder), ":", line)
                     : place.ptx_line > 0 ? base::say("PTX line ", place.ptx_line)
                                          : place.what);
  }
  return base::join(places, " with ");
}

void add_consequences(std::string& text, const Hazard& hazard, const CheckReport& report) {
  constexpr std::size_t most_shown = 8;
  const std::size_t count = hazard.consequences.size();
  if (count == 0) return;
  text += base::say("  and ", count, " consequence", count == 1 ? "" : "s",
                    ", which the same fix removes",
                    report.options.all ? ":\n" : " (--all shows them in full):\n");
  if (report.options.all) return;
  for (std::size_t i = 0; i < std::min(count, most_shown); ++i)
    text += base::say("    ", hazard.consequences[i].rule, " at ",
                      places_in_short(hazard.consequences[i], report), "\n");
  if (count > most_shown) text += base::say("    and ", count - most_shown, " more\n");
}

void add_hazard(std::string& text, const Hazard& hazard, const CheckReport& report,
                const Paint& paint) {
  const std::string kind = base::say(name_of(hazard.level), "[", hazard.rule, "]");
  const std::string kernel =
      hazard.kernel.empty() ? "host" : base::shown_kernel_name(hazard.kernel);
  const bool error = hazard.level == base::HazardLevel::error;
  text += paint(error ? red : yellow, kind) + " " + paint(bold, kernel) + ": " + hazard.message;
  if (hazard.level == base::HazardLevel::formal) {
    text += formal_tail(hazard, report);
    return;
  }
  text += "\n";
  for (const auto& place : hazard.places) add_place(text, place, report);
  if (hazard.pairs > 1) {
    text += base::say("  and at ", hazard.pairs - 1, " more pair", hazard.pairs == 2 ? "" : "s",
                      " of instructions of the same cause");
    if (!hazard.also.empty()) text += ": " + base::join(hazard.also, ", ");
    text += hazard.also.size() + 1 < hazard.pairs && !hazard.also.empty() ? ", …\n" : "\n";
  }
  for (const auto& edge : hazard.graph) text += "  : " + edge + "\n";
  if (!hazard.why.empty()) text += "  why: " + hazard.why + "\n";
  if (!hazard.fix.empty()) text += "  fix: " + hazard.fix + "\n";
  add_consequences(text, hazard, report);
  text += base::say("  seen ", hazard.count, hazard.count == 1 ? " time" : " times",
                    ", first with ", as_options(hazard.seen), "\n");
  text += "  replay: " + replay_command(report.options, hazard.replay) + "\n\n";
  if (report.options.all)
    for (const Hazard& one : hazard.consequences) {
      text += "consequence of the finding above: ";
      add_hazard(text, one, report, paint);
    }
}

void add_failed_runs(std::string& text, const CheckReport& report, const Paint& paint) {
  for (const auto& run : report.runs) {
    if (!run.failed()) continue;
    text += paint(red, "error") + ": the program ended with " +
            end_of(run, report.options.timeout) + " under " + as_options(run.schedule) + "\n";
    text += "  replay: " + replay_command(report.options, run.replay) + "\n\n";
  }
}

}  // namespace

std::string text_report(const CheckReport& report, bool colour) {
  const Paint paint{colour};
  std::string text;
  const auto most =
      report.options.all ? report.hazards.size() : static_cast<std::size_t>(report.options.max);
  const std::size_t shown = std::min(report.hazards.size(), most);
  for (std::size_t i = 0; i < shown; ++i) add_hazard(text, report.hazards[i], report, paint);
  if (shown < report.hazards.size())
    text += base::say(report.hazards.size() - shown, " more not shown; --max ",
                      report.hazards.size(), " shows all\n\n");
  add_failed_runs(text, report, paint);
  for (const auto& one : report.unused) text += "unused suppression: " + one + "\n";
  if (!report.hazards.empty())
    text +=
        "'aisp check --explain " + report.hazards[0].rule + "' explains a rule, with an example\n";
  return text + summary_line(report) + "\n";
}

}  // namespace aisp::lab
