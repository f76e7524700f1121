// What a run writes down. Every record is one JSON object with a "kind"; a worker streams them to
// its parent, the parent appends them to the journal (runs/<id>/run.jsonl) as they come.
// The schema is lab/record/run.schema.json; `schema` counts up when a reader must change.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lab/case/counts.hpp"
#include "lab/measure/l2.hpp"
#include "lab/measure/verdict.hpp"
#include "lab/module/module.hpp"
#include "lab/record/counters.hpp"
#include "lab/record/modes.hpp"

namespace aisp::lab {

inline constexpr int run_schema = 1;

// One size of one target: the unit that a worker runs and --resume skips or repeats whole.
struct EntryPlan {
  std::string entry;   // "ch09:cublaslt_gemm/bf16 4096x4096x8192"
  std::string target;  // "ch09:cublaslt_gemm"
  std::string variant;
  std::vector<std::int64_t> dims;
  std::vector<std::string> rungs;  // in ladder order, peers last
  std::vector<std::int64_t> at{};  // of a sweep: values of its axes
  bool operator==(const EntryPlan&) const = default;
};

struct RunHeader {  // kind "run", the first line
  int schema = run_schema;
  std::string id;
  std::string started;  // UTC, 2026-01-31T12:00:00Z
  std::string version, commit;
  std::vector<std::string> command;
  Timer timer = Timer::events;
  L2Mode l2 = L2Mode::cold;
  std::uint64_t seed = 0;
  int iterations = 0;  // 0: adaptive
  int warmup = 0;
  Profile profile = Profile::none;
  bool validate = false;  // numbers only, no timing
  double time_limit = 0;  // seconds per entry
  int self_check = 0;     // repetitions of a rung against itself; 0: an ordinary run
  std::vector<EntryPlan> plan;
  bool trace = false;                // every rung once more, with a trace
  std::vector<Module> modules;       // loaded beside the program's own targets
  std::vector<std::string> sweep{};  // the axes of a sweep, the one of the plot first
  bool operator==(const RunHeader&) const = default;
};

struct RoofRecord {  // part of a device: a rate as `aisp doctor --measure` found it
  std::string name;  // "memory", "bf16 matrix"
  double rate = 0;   // per second: operations, or bytes
  bool operations = false;
  bool operator==(const RoofRecord&) const = default;
};

struct DeviceRecord {    // kind "device", once a worker has seen it
  std::string hardware;  // "h200": names the expectation file
  std::string name, driver, runtime, uuid;
  int multiprocessors = 0, major = 0, minor = 0;
  std::int64_t l2_bytes = 0, memory_bytes = 0;
  bool simulated = false;
  int simulated_devices = 0;                  // of a simulated machine that has several; 0: one
  std::string host{}, system{}, processor{};  // where it is
  std::vector<RoofRecord> roofs{};            // that the run was judged by
  bool operator==(const DeviceRecord&) const = default;
};

struct AttemptRecord {  // kind "attempt": a worker starts on an entry
  std::string entry;
  int attempt = 0;
  std::vector<std::string> rungs;
  double flops = 0, bytes = 0;
  std::string unit;  // the arithmetic roof that applies, "" for none
  bool operator==(const AttemptRecord&) const = default;
};

struct CheckRecord {  // kind "check": numbers compared with the reference
  std::string entry, rung;
  CheckTime when = CheckTime::before;
  int attempt = 0;
  std::uint64_t seed = 0;
  bool right = false;
  std::int64_t elements = 0, wrong = 0;
  double worst_ulp = 0, relative_norm = 0;
  std::string report;  // one line for the reader when wrong
  int set = 0;         // of buffers: samples walk through all of them
  bool operator==(const CheckRecord&) const = default;
};

struct SampleRecord {  // kind "sample": one timed run
  std::string entry, rung;
  int attempt = 0, index = 0;
  double ms = 0;
  std::optional<double> sm_mhz;  // cycles per time while it ran
  std::optional<double> watts;   // of runs before bursts were taken: where the card idled
  std::optional<double> celsius;
  std::optional<double> host_ms;      // what the host took to enqueue it
  std::vector<std::string> throttle;  // reasons active around the sample
  bool operator==(const SampleRecord&) const = default;
};

struct CounterRecord {  // part of a profile
  Counter counter{};
  double value = 0;
  bool operator==(const CounterRecord&) const = default;
};

struct ShareRecord {  // part of a kernel: a pipe, or a cause of stalls
  std::string name;
  double percent = 0;
  bool operator==(const ShareRecord&) const = default;
};

struct LineRecord {  // part of a kernel: a source line at which warps were found
  std::string file;
  int line = 0;
  std::string text;
  double percent = 0;  // of the kernel's samples
  std::string stall;   // the most frequent cause
  bool operator==(const LineRecord&) const = default;
};

struct KernelRecord {  // part of a profile: one kernel of one run of a rung
  std::string name;
  std::vector<int> grid, block;
  int registers = 0;
  std::int64_t static_shared = 0, dynamic_shared = 0, local_bytes = 0;
  double us = 0;
  std::vector<CounterRecord> counters{};
  std::vector<ShareRecord> pipes{};   // per cent of the peak of each
  std::vector<ShareRecord> stalls{};  // per cent of the warps' time, most first
  std::vector<LineRecord> lines{};    // most first
  std::string limit{};                // what limits the occupancy
  bool operator==(const KernelRecord&) const = default;
};

struct ProfileRecord {  // kind "profile": a separate pass, never in a timed run
  std::string entry, rung;
  int attempt = 0;
  std::vector<KernelRecord> kernels;
  std::string by{};                       // who counted: "ncu 2025.3.1", "CUPTI", "the simulator"
  std::string bound{};                    // one sentence: what bounds the rung
  std::string problem{};                  // one line when something is missing, and what to do
  std::string file{};                     // below the run's folder: what Nsight Compute opens
  std::vector<CounterRecord> counters{};  // of the whole rung, where nobody counts by kernel
  bool operator==(const ProfileRecord&) const = default;
};

struct EngineRecord {  // part of an overlap: how long one engine of a device was busy
  std::string engine;  // "compute", "to device", "to host", "device copy", "fill", "peer", …
  double us = 0;
  int intervals = 0;
  bool operator==(const EngineRecord&) const = default;
};

struct OverlapRecord {  // part of a trace: what ran at the same time on one device
  int device = 0;
  double window_us = 0;  // from the first start to the last end
  std::vector<EngineRecord> engines;
  double overlapped_us = 0;          // two intervals or more at once
  double engines_overlapped_us = 0;  // on two engines or more
  int most_at_once = 0;
  double idle_us = 0;
  int gaps = 0;
  double longest_gap_us = 0;
  std::string ended_by, waited_for;  // of the longest gap
  bool operator==(const OverlapRecord&) const = default;
};

struct GapRecord {  // part of a trace: nothing ran on a device
  int device = 0;
  double start_us = 0, us = 0;  // on the clock of the trace's file
  std::string ended_by, waited_for;
  bool operator==(const GapRecord&) const = default;
};

struct TraceRecord {  // kind "trace": a separate pass, never in a timed run
  std::string entry, rung;
  int attempt = 0;
  bool simulated = false;  // the simulator's schedule
  std::string file;        // below the run's folder
  std::vector<OverlapRecord> devices;
  std::string problem;            // one line when there is no trace
  std::vector<GapRecord> idle{};  // in order; of many the longest
  bool operator==(const TraceRecord&) const = default;
};

struct FigureRecord {  // part of a row: a number that the rung's runs left beside their time
  std::string name, unit;
  double median = 0, low = 0,
         high = 0;  // over the timed runs, with the 95 % interval of the median
  bool operator==(const FigureRecord&) const = default;
};

struct CountRecord {  // part of a row of a simulated run: what one run of the rung did
  Count count{};
  double value = 0;  // of Count::overlap: per cent
  bool operator==(const CountRecord&) const = default;
};

struct RowRecord {  // kind "row": the last word on one rung of one entry
  std::string entry, rung;
  int attempt = 0;
  bool peer = false;
  RowStatus status = RowStatus::failed;
  std::string reason;  // one line for every status but "measured" and "checked"
  std::string note;    // what a reader of a measured row must know: "throttled in 3 of 50 samples"
  int samples = 0;
  double median_ms = 0, low_ms = 0, high_ms = 0;          // 95 % bootstrap interval of the median
  double speedup = 0, speedup_low = 0, speedup_high = 0;  // against the baseline of this attempt
  std::optional<Verdict> verdict;                         // against the baseline, too
  double p_value = 1;
  std::optional<double> roof_ms, roof_share;  // floor of the time, floor / median
  std::string roof;                           // which roof applies: "memory", "bf16 matrix", …
  std::vector<FigureRecord> figures;
  std::optional<double> watts;        // in a burst of the same rung
  std::vector<std::string> throttle;  // reasons active in that burst
  std::vector<CountRecord> counts;    // of a simulated run
  std::optional<double> host_share;   // median of host_ms / ms
  bool operator==(const RowRecord&) const = default;
};

// The device waits for the host most of the time: the time is as much the host's as the device's.
// Less than a tenth of a millisecond is enqueued while the flush before it still runs.
bool bound_by_host(const RowRecord& row);

struct EndRecord {  // kind "end": how the run ended; absent when it was killed
  EndStatus status = EndStatus::complete;
  std::string finished;
  int exit = 0;
  std::string verdict;
  bool operator==(const EndRecord&) const = default;
};

using Record = std::variant<RunHeader, DeviceRecord, AttemptRecord, CheckRecord, SampleRecord,
                            ProfileRecord, TraceRecord, RowRecord, EndRecord>;

nlohmann::json to_json(const Record& record);

// Numbers that JSON cannot say (infinite, not a number) are the strings "inf", "-inf" and "nan";
// optional fields, empty texts and empty lists that carry no news are left out.
// Refuses (Exit::environment) an object that is not a record of this schema, saying which field.
Record record_from_json(const nlohmann::json& object);

// The same as one line of text, newline included: what goes through a worker's pipe and into the
// journal. Bytes that are not UTF-8 (a crashing library's message) become U+FFFD.
std::string to_line(const Record& record);
Record record_from_line(std::string_view line);

}  // namespace aisp::lab
