#include "lab/run/bench/tracing.hpp"

#include <algorithm>
#include <filesystem>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/elsewhere.hpp"
#include "lab/case/range.hpp"
#include "lab/trace/chrome.hpp"
#include "lab/trace/collector.hpp"
#include "lab/trace/overlap.hpp"
#include "lab/trace/together.hpp"
#include "lab/trace/wait.hpp"

namespace aisp::lab {
namespace {

constexpr double us = 1e-3;  // in nanoseconds

Trace take_trace(Device& device, const Contender& contender, Buffers& buffers, Timer timer,
                 Detail detail) {
  const Launch launch = buffers.launch(0);
  const StreamLabel label(device.stream(), "launch stream");
  const auto collector = start_trace(detail);
  const auto others = all_elsewhere();
  for (Elsewhere* other : others) other->listen(detail == Detail::everything);
  const auto before = [&] {
    contender.before(launch);
    device.synchronize();
  };
  before();
  // A graph is recorded here, while the collector listens: some tools see only the nodes of graphs
  // that were made under them.
  std::unique_ptr<Replay> replay;
  if (timer == Timer::graph) replay = device.record([&] { contender.run(launch); });
  const auto run = [&] {
    if (replay)
      replay->enqueue();
    else
      contender.run(launch);
    device.synchronize();
  };
  run();
  // What is to come may begin in other processes as soon as it is made ready here.
  for (Elsewhere* other : others) other->restart();
  before();
  collector->restart();
  run();
  Trace trace = collector->trace();
  for (Elsewhere* other : others)
    for (const auto& [process, text] : other->traces())
      add_process(trace, trace_of_text(text), process);
  return trace;
}

// What a gap before the same work waited for is known where the host's calls are, which made that
// gap longer.
void take_reasons(std::vector<OverlapRecord>& records, const std::vector<OverlapRecord>& known) {
  for (OverlapRecord& record : records)
    for (const OverlapRecord& other : known)
      if (other.device == record.device && other.ended_by == record.ended_by &&
          !other.waited_for.empty())
        record.waited_for =
            base::say(other.waited_for, ", of ", base::duration(other.longest_gap_us * us),
                      " in a run with the host's calls");
}

}  // namespace

std::vector<OverlapRecord> overlap_records(const Trace& trace) {
  std::vector<OverlapRecord> records;
  for (const Overlap& overlap : overlaps_of(trace)) {
    OverlapRecord record{.device = overlap.device,
                         .window_us = overlap.window * us,
                         .overlapped_us = overlap.overlapped * us,
                         .engines_overlapped_us = overlap.engines_overlapped * us,
                         .most_at_once = overlap.most_at_once,
                         .idle_us = overlap.idle * us,
                         .gaps = static_cast<int>(overlap.gaps.size()),
                         .waited_for = overlap.waited_for};
    for (const EngineBusy& engine : overlap.engines)
      record.engines.push_back(
          {std::string(name_of(engine.engine)), engine.busy * us, engine.intervals});
    if (overlap.longest) {
      const TraceInterval& next = trace.intervals[overlap.longest->ended_by];
      record.longest_gap_us = overlap.longest->length() * us;
      record.ended_by = base::say(next.name, " on ", stream_name(trace, next.device, next.stream));
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<GapRecord> gap_records(const Trace& trace, std::size_t most) {
  std::vector<GapRecord> records;
  for (const Overlap& overlap : overlaps_of(trace))
    for (const Gap& gap : overlap.gaps) {
      const TraceInterval& next = trace.intervals[gap.ended_by];
      records.push_back(
          {.device = overlap.device,
           .start_us = gap.start * us,
           .us = gap.length() * us,
           .ended_by = base::say(next.name, " on ", stream_name(trace, next.device, next.stream)),
           .waited_for = waited_for(trace, gap.start, gap.ended_by)});
    }
  const auto longer = [](const GapRecord& a, const GapRecord& b) { return a.us > b.us; };
  std::stable_sort(records.begin(), records.end(), longer);
  if (records.size() > most) records.resize(most);
  std::stable_sort(records.begin(), records.end(),
                   [](const GapRecord& a, const GapRecord& b) { return a.start_us < b.start_us; });
  return records;
}

TraceRecord trace_rung(Device& device, const Contender& contender, Buffers& buffers,
                       const Job& job) {
  const std::string& entry = job.entry.entry;
  TraceRecord record{.entry = entry,
                     .rung = contender.name(),
                     .attempt = job.attempt,
                     .simulated = device.info().simulated};
  if (device.info().major == 0) {
    record.problem = "it runs on the host, which has no streams to trace";
    return record;
  }
  try {
    const Trace trace = take_trace(device, contender, buffers, job.timer, Detail::everything);
    const std::string size = entry.substr(entry.find('/') + 1);
    const auto file =
        std::filesystem::path("traces") / trace_file_name(job.entry.target, size, contender.name());
    write_chrome_trace(std::filesystem::path(job.trace) / file, trace,
                       base::say(entry, ' ', contender.name()));
    record.file = file.string();
    record.devices = overlap_records(trace);
    record.idle = gap_records(trace);
    // How much overlapped is read from a run whose host was in less of a hurry to write things
    // down; the simulator's host takes no time.
    if (!device.info().simulated) {
      auto times = overlap_records(take_trace(device, contender, buffers, job.timer, Detail::work));
      take_reasons(times, record.devices);
      record.devices = std::move(times);
    }
  } catch (const base::Refusal& refusal) {  // CUPTI is missing, the file cannot be written
    record.problem = refusal.what();
  }
  return record;
}

}  // namespace aisp::lab
