#include "lab/trace/chrome.hpp"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "lab/record/schema.hpp"
#include "tests/lab/trace/made_up.hpp"
#include "tests/lab/trace/tracks.hpp"
#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;
using enum TraceEngine;

Trace full_trace() {
  Trace trace = trace_of({work(to_device, 2, 0, 100), work(compute, 1, 100, 400),
                          work(compute, 1, 300, 450), work(to_host, 2, 250.5, 500)});
  trace.intervals[0].bytes = 8 << 20;
  trace.intervals[0].correlation = 17;
  trace.intervals[0].range = "prefetch/pages";
  trace.intervals[1].kernel = "void scale<4>(float*)";
  trace.intervals[1].after = 0;
  trace.intervals[3].device = 1;
  trace.host = {{.thread = 7, .name = "outer", .start = 0, .end = 90, .range = true},
                {.thread = 7, .name = "inner", .start = 0, .end = 50, .range = true},
                {.thread = 7, .name = "cudaMemcpyAsync", .start = 10, .end = 20},
                {.thread = 7,
                 .name = "cudaStreamSynchronize",
                 .start = 20,
                 .end = 500,
                 .blocks = true,
                 .waits_for = "side"}};
  trace.marks = {{7, "4 streams from here on", 60}};
  sort_intervals(trace);
  return trace;
}

const json& named(const json& document, const std::string& name) {
  static const json none;
  for (const auto& event : document["traceEvents"])
    if (event["name"] == name) return event;
  return none;
}

TEST(ChromeTrace, FitsItsSchema) {
  for (const Trace& trace : {full_trace(), Trace{}})
    EXPECT_EQ(schema_violations(trace_schema(), chrome_trace(trace, "a rung")),
              std::vector<std::string>{});
}

TEST(ChromeTrace, DamagedDoesNotFit) {
  const json whole = chrome_trace(full_trace(), "a rung");
  for (const json& event : whole["traceEvents"])
    for (const auto& [key, value] : event.items()) {
      json damaged{
          {"displayTimeUnit", "ns"}, {"otherData", whole["otherData"]}, {"traceEvents", {event}}};
      damaged["traceEvents"][0].erase(key);
      EXPECT_FALSE(schema_violations(trace_schema(), damaged).empty()) << key << event;
      damaged["traceEvents"][0][key] = json::array();
      EXPECT_FALSE(schema_violations(trace_schema(), damaged).empty()) << key << event;
    }
}

TEST(ChromeTrace, TimesAreMicrosecondsWithFractions) {
  const json event = named(chrome_trace(full_trace(), "a"), "copy to host 1 KiB");
  EXPECT_EQ(event["ph"], "X");
  EXPECT_DOUBLE_EQ(event["ts"].get<double>(), 0.2505);
  EXPECT_NEAR(event["dur"].get<double>(), 0.2495, 1e-12);
  EXPECT_EQ(event["cat"], "to host");
}

TEST(ChromeTrace, EventsSayWhereTheyComeFrom) {
  const json document = chrome_trace(full_trace(), "a");
  const json args = named(document, "copy to device 1 KiB")["args"];
  EXPECT_EQ(args["bytes"], 8 << 20);
  EXPECT_EQ(args["correlation"], 17);
  EXPECT_EQ(args["range"], "prefetch/pages");
  EXPECT_EQ(named(document, "scale")["args"]["after"], "copy to device 1 KiB on side");
  EXPECT_EQ(named(document, "cudaStreamSynchronize")["args"]["waits_for"], "side");
  EXPECT_EQ(named(document, "4 streams from here on")["ph"], "i");
}

TEST(ChromeTrace, EachStreamOfEachDeviceHasItsTrack) {
  const auto tracks = tracks_of(chrome_trace(full_trace(), "a"));
  // Two kernels of one stream that overlap cannot share a track.
  std::set<std::string> names;
  for (const auto& [key, track] : tracks) names.insert(track.process + ": " + track.name);
  EXPECT_EQ(names, (std::set<std::string>{"GPU 0: side", "GPU 0: main", "GPU 0: main (2)",
                                          "GPU 1: stream 2", "host: thread 7: ranges",
                                          "host: thread 7: calls", "host: thread 7: marks"}));
  EXPECT_EQ(partial_overlaps(tracks), 0);
}

TEST(ChromeTrace, RangesLieInsideEachOther) {
  const json document = chrome_trace(full_trace(), "a");
  EXPECT_EQ(named(document, "outer")["tid"], named(document, "inner")["tid"]);
}

TEST(ChromeTrace, SaysThatItIsSimulated) {
  Trace trace = full_trace();
  trace.simulated = true;
  const json document = chrome_trace(trace, "a");
  EXPECT_EQ(document["otherData"]["simulated"], true);
  EXPECT_EQ(tracks_of(document).begin()->second.process, "host");
  EXPECT_EQ(named(document, "process_name")["args"]["name"], "simulated GPU 0");
}

TEST(TraceFile, HasANameThatNoShellMinds) {
  EXPECT_EQ(trace_file_name("ch11:streams", "bf16 64x32", "two streams/graph"),
            "ch11-streams-bf16_64x32-two_streams-graph.json");
}

TEST(TraceFile, IsWrittenWithItsFolder) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "traces" / "a.json";
  write_chrome_trace(file, full_trace(), "a rung");
  const json document = json::parse(text_of(file));
  EXPECT_EQ(document["otherData"]["title"], "a rung");
  EXPECT_EQ(schema_violations(trace_schema(), document), std::vector<std::string>{});
}

TEST(TraceFile, ThatCannotBeWrittenIsRefusedInOneLine) {
  const TemporaryFolder folder;
  write_text(folder.path() / "traces", "a file");
  const auto refusal = refusal_of(
      [&] { write_chrome_trace(folder.path() / "traces" / "a.json", full_trace(), "a"); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("--out DIR"), std::string::npos) << refusal.what();
}

}  // namespace
}  // namespace aisp::lab
