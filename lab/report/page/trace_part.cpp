// Traces and findings for the page: files of their own, which may be missing, cut short or
// somebody else's.
#include <algorithm>
#include <tuple>

#include "base/file.hpp"
#include "base/refuse.hpp"
#include "lab/report/page/parts.hpp"

namespace aisp::lab::page {
namespace {

using nlohmann::json;

// More than this nobody can look at; Perfetto opens the file itself.
constexpr std::size_t most_intervals = 20'000;

std::string text_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

double number_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

json args_of(const json& event) {
  const auto found = event.find("args");
  return found != event.end() && found->is_object() ? *found : json::object();
}

class Tracks {
 public:
  void name(const json& event) {
    const int process = static_cast<int>(number_in(event, "pid"));
    const std::string text = text_in(args_of(event), "name");
    if (text_in(event, "name") == "process_name") processes_[process] = text;
    if (text_in(event, "name") == "thread_name")
      threads_[{process, static_cast<int>(number_in(event, "tid"))}] = text;
  }

  std::size_t place(const json& event) {
    const std::pair key{static_cast<int>(number_in(event, "pid")),
                        static_cast<int>(number_in(event, "tid"))};
    const auto [found, is_new] = places_.try_emplace(key, places_.size());
    if (is_new) order_.push_back(key);
    return found->second;
  }

  json names() const {
    json list = json::array();
    for (const auto& key : order_) {
      const auto process = processes_.find(key.first);
      const auto thread = threads_.find(key);
      list.push_back((process != processes_.end() ? process->second + ": " : "") +
                     (thread != threads_.end() ? thread->second : base::say(key.second)));
    }
    return list;
  }

 private:
  std::map<int, std::string> processes_;
  std::map<std::pair<int, int>, std::string> threads_;
  std::map<std::pair<int, int>, std::size_t> places_;
  std::vector<std::pair<int, int>> order_;
};

// Tracks of the host behind those of the devices, which the reader came for.
void read_events(const json& events, json& part) {
  Tracks tracks;
  std::vector<const json*> spans;
  for (const auto& event : events) {
    if (!event.is_object()) continue;
    if (text_in(event, "ph") == "M") tracks.name(event);
    if (text_in(event, "ph") == "X") spans.push_back(&event);
  }
  if (spans.size() > most_intervals) {
    std::stable_sort(spans.begin(), spans.end(), [](const json* a, const json* b) {
      return number_in(*a, "dur") > number_in(*b, "dur");
    });
    part["warning"] = base::say("the ", most_intervals, " longest of ", spans.size(),
                                " intervals; Perfetto shows all of the file");
    spans.resize(most_intervals);
  }
  constexpr int host_process = 1;  // lab/trace/chrome.cpp
  std::stable_sort(spans.begin(), spans.end(), [](const json* a, const json* b) {
    const auto key = [](const json* event) {
      const int process = static_cast<int>(number_in(*event, "pid"));
      return std::pair(process == host_process, number_in(*event, "ts"));
    };
    return key(a) < key(b);
  });
  for (const json* span : spans) {
    const json args = args_of(*span);
    part["intervals"].push_back(json::array(
        {tracks.place(*span), text_in(*span, "name"), text_in(*span, "cat"), number_in(*span, "ts"),
         number_in(*span, "dur"),
         text_in(args, "kernel").empty() ? text_in(args, "range") : text_in(args, "kernel"),
         text_in(args, "after")}));
  }
  part["tracks"] = tracks.names();
}

// A run file may come from anywhere: what it names is read only below the run's folder.
void read_trace(const std::filesystem::path& folder, const std::string& name, json& part) {
  const std::string file = (folder / name).string();
  const base::FileText read = base::read_all(base::open_below(folder, name));
  if (!read.problem.empty()) {
    part["problem"] = base::say("cannot read ", file, ": ", read.problem);
    return;
  }
  const json document = json::parse(read.text, nullptr, /*allow_exceptions=*/false);
  const auto events = document.is_object() ? document.find("traceEvents") : document.end();
  if (!document.is_object() || events == document.end() || !events->is_array())
    part["problem"] = file + " is no trace";
  else
    read_events(*events, part);
}

// How interesting a timeline is, the larger the more: one that can be drawn, then the share of its
// time in which two intervals or more overlap, then how many do at once.
std::tuple<bool, double, int> interest(const TraceRecord& trace, const json& part) {
  double overlapped = 0, window = 0;
  int at_once = 0;
  for (const auto& overlap : trace.devices) {
    overlapped += overlap.overlapped_us;
    window += overlap.window_us;
    at_once = std::max(at_once, overlap.most_at_once);
  }
  return {part.at("problem").get<std::string>().empty() && !part.at("intervals").empty(),
          window > 0 ? overlapped / window : 0, at_once};
}

}  // namespace

json trace_part(const PageRun& run, const RowPlaces& places) {
  json list = json::array();
  for (const auto& trace : run.run.traces) {
    const auto row = places.find({trace.entry, trace.rung});
    if (row == places.end()) continue;
    json part{{"row", row->second},      {"simulated", trace.simulated}, {"problem", trace.problem},
              {"tracks", json::array()}, {"intervals", json::array()},   {"gaps", json::array()}};
    for (const auto& gap : trace.idle)
      part["gaps"].push_back({{"start", gap.start_us},
                              {"us", gap.us},
                              {"ended_by", gap.ended_by},
                              {"waited_for", gap.waited_for}});
    if (trace.problem.empty()) read_trace(run.folder, trace.file, part);
    const auto [drawn, share, at_once] = interest(trace, part);
    part["interest"] = json::array({drawn ? 1 : 0, share, at_once});
    list.push_back(std::move(part));
  }
  return list;
}

json findings_part(const PageFindings& findings) {
  json part{{"title", findings.title}, {"findings", json::array()}};
  const auto list = findings.report.find("findings");
  if (list == findings.report.end() || !list->is_array()) return part;
  for (const auto& finding : *list) {
    if (!finding.is_object()) continue;
    json item{{"places", json::array()}};
    for (const char* name : {"rule", "severity", "kernel", "message", "why", "fix", "replay"})
      item[name] = text_in(finding, name);
    const auto places = finding.find("places");
    if (places != finding.end() && places->is_array())
      for (const auto& place : *places)
        if (place.is_object())
          item["places"].push_back({{"what", text_in(place, "what")},
                                    {"file", text_in(place, "file")},
                                    {"line", number_in(place, "line")},
                                    {"ptx", text_in(place, "ptx")},
                                    {"ptx_line", number_in(place, "ptx_line")}});
    part["findings"].push_back(std::move(item));
  }
  return part;
}

}  // namespace aisp::lab::page
