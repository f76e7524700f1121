#include "lab/trace/chrome.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "base/refuse.hpp"
#include "lab/record/file.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

constexpr int host_process = 1, first_device_process = 2;

double microseconds(double nanoseconds) { return nanoseconds * 1e-3; }

// A track shows one thing after another, and things that lie inside others.
class Track {
 public:
  Track(int number, bool nests) : number_(number), nests_(nests) {}

  // Whether there is room, which is then taken. Asked in the order of the starts.
  bool take(double start, double end) {
    while (!open_.empty() && open_.back() <= start) open_.pop_back();
    if (!open_.empty() && (!nests_ || end > open_.back())) return false;
    open_.push_back(end);
    return true;
  }
  int number() const { return number_; }

 private:
  int number_;
  bool nests_;
  std::vector<double> open_;  // ends of what has begun, the innermost last
};

class Writer {
 public:
  explicit Writer(const Trace& trace) : trace_(trace) {}

  json events() {
    for (const auto& interval : trace_.intervals) add(interval);
    std::vector<HostInterval> host = trace_.host;
    std::stable_sort(host.begin(), host.end(), [](const HostInterval& a, const HostInterval& b) {
      return a.start != b.start ? a.start < b.start : a.end > b.end;
    });
    for (const auto& interval : host) add(interval);
    for (const auto& mark : trace_.marks) add(mark);
    return std::move(events_);
  }

 private:
  void name(const char* what, int process, int track, json args) {
    events_.push_back(
        {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", track}, {"args", std::move(args)}});
  }

  // The number of the track for [start, end]: the first of its group that has room.
  int track(int process, const std::string& group, bool nests, double start, double end) {
    auto& tracks = tracks_[{process, group}];
    for (auto& track : tracks)
      if (track.take(start, end)) return track.number();
    const int number = ++last_track_;
    if (process_names_.insert(process).second) {
      const std::string device = device_name(trace_, process - first_device_process);
      name("process_name", process, 0, {{"name", process == host_process ? "host" : device}});
      name("process_sort_index", process, 0, {{"sort_index", process}});
    }
    const std::string more = tracks.empty() ? "" : base::say(" (", tracks.size() + 1, ")");
    name("thread_name", process, number, {{"name", group + more}});
    name("thread_sort_index", process, number, {{"sort_index", number}});
    tracks.emplace_back(number, nests).take(start, end);
    return number;
  }

  void complete(int process, int track, const std::string& name, std::string_view kind,
                double start, double end, json args) {
    events_.push_back({{"ph", "X"},
                       {"name", name},
                       {"cat", kind},
                       {"pid", process},
                       {"tid", track},
                       {"ts", microseconds(start)},
                       {"dur", microseconds(end - start)},
                       {"args", std::move(args)}});
  }

  void add(const TraceInterval& interval) {
    json args = json::object();
    if (interval.bytes > 0) args["bytes"] = interval.bytes;
    if (interval.correlation > 0) args["correlation"] = interval.correlation;
    if (!interval.range.empty()) args["range"] = interval.range;
    if (!interval.kernel.empty()) args["kernel"] = interval.kernel;
    if (interval.enqueued) args["enqueued_us"] = microseconds(*interval.enqueued);
    if (interval.after) {
      const TraceInterval& before = trace_.intervals[*interval.after];
      args["after"] =
          base::say(before.name, " on ", stream_name(trace_, before.device, before.stream));
    }
    const int process = first_device_process + interval.device;
    const std::string group = stream_name(trace_, interval.device, interval.stream);
    complete(process, track(process, group, false, interval.start, interval.end), interval.name,
             name_of(interval.engine), interval.start, interval.end, std::move(args));
  }

  void add(const HostInterval& interval) {
    json args = json::object();
    if (!interval.waits_for.empty()) args["waits_for"] = interval.waits_for;
    const std::string group =
        base::say("thread ", interval.thread, interval.range ? ": ranges" : ": calls");
    complete(host_process, track(host_process, group, true, interval.start, interval.end),
             interval.name,
             interval.range    ? "range"
             : interval.blocks ? "wait"
                               : "call",
             interval.start, interval.end, std::move(args));
  }

  void add(const TraceMark& mark) {
    const int on =
        track(host_process, base::say("thread ", mark.thread, ": marks"), true, mark.at, mark.at);
    events_.push_back({{"ph", "i"},
                       {"name", mark.text},
                       {"cat", "mark"},
                       {"pid", host_process},
                       {"tid", on},
                       {"ts", microseconds(mark.at)},
                       {"s", "g"}});  // a line through all tracks
  }

  const Trace& trace_;
  json events_ = json::array();
  std::map<std::pair<int, std::string>, std::vector<Track>> tracks_;
  std::set<int> process_names_;
  int last_track_ = 0;
};

std::string safe(const std::string& text) {
  std::string result = text;
  for (char& letter : result)
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_' && letter != '.')
      letter = letter == ' ' ? '_' : '-';
  return result;
}

}  // namespace

json chrome_trace(const Trace& trace, const std::string& title) {
  return {{"displayTimeUnit", "ns"},
          {"otherData", {{"title", title}, {"simulated", trace.simulated}}},
          {"traceEvents", Writer(trace).events()}};
}

std::string trace_file_name(const std::string& target, const std::string& size,
                            const std::string& rung) {
  return base::say(safe(target), '-', safe(size), '-', safe(rung), ".json");
}

void write_chrome_trace(const std::filesystem::path& file, const Trace& trace,
                        const std::string& title) {
  constexpr const char* way_out = "choose another folder with --out DIR";
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error)
    base::refuse(base::Exit::environment, "cannot make ", file.parent_path().string(), ": ",
                 error.message(), "; ", way_out);
  replace_file(
      file, chrome_trace(trace, title).dump(-1, ' ', false, json::error_handler_t::replace) + "\n",
      way_out);
}

}  // namespace aisp::lab
