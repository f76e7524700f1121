// `aisp bench run --trace` from the command line to the files, on the simulator.
#include <nlohmann/json.hpp>

#include "lab/record/schema.hpp"
#include "tests/lab/cli/program.hpp"
#include "tests/lab/trace/tracks.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

const std::string entry = "fxgpu:echo/65536";

class Traced : public FixtureTest {
 protected:
  Outcome trace(const Words& more = {}) {
    return run(bench("fxgpu:echo") + Words{"--quick", "--trace", "--device", "sim:h200,sms=4"} +
               more);
  }
  TraceRecord record_of(const std::string& rung) const {
    for (const auto& trace : recorded().traces)
      if (trace.entry == entry && trace.rung == rung) return trace;
    ADD_FAILURE() << "no trace of " << rung;
    return {};
  }
  // Of the only device.
  OverlapRecord overlap_of(const std::string& rung) const {
    const TraceRecord trace = record_of(rung);
    EXPECT_EQ(trace.problem, "");
    EXPECT_EQ(trace.devices.size(), 1u);
    return trace.devices.empty() ? OverlapRecord{} : trace.devices.front();
  }
  json document_of(const std::string& rung) const {
    return json::parse(text_of(run_folder() / record_of(rung).file));
  }
};

int count_named(const json& document, const std::string& name) {
  int found = 0;
  for (const auto& event : document["traceEvents"]) found += event["name"] == name ? 1 : 0;
  return found;
}

TEST_F(Traced, ConcurrencyIsComputed) {
  const auto outcome = trace();
  ASSERT_EQ(outcome.exit, 0) << outcome.err << outcome.out;
  const OverlapRecord one = overlap_of("one_stream"), two = overlap_of("two_streams");
  EXPECT_EQ(one.overlapped_us, 0);
  EXPECT_EQ(one.most_at_once, 1);
  EXPECT_EQ(one.idle_us, 0);
  // The first copy in and the last one out have no partner; all the others have.
  EXPECT_NEAR(two.overlapped_us / two.window_us, 3.0 / 5.0, 1e-3);
  EXPECT_EQ(two.engines_overlapped_us, two.overlapped_us);
  EXPECT_EQ(two.most_at_once, 2);
  EXPECT_NEAR(two.window_us, one.window_us * 5 / 8, one.window_us * 1e-3);
  ASSERT_EQ(two.engines.size(), 2u);
  EXPECT_EQ(two.engines[0].engine, "to device");
  EXPECT_EQ(two.engines[0].intervals, 4);
}

TEST_F(Traced, GapsNameWhatTheyWaitedFor) {
  ASSERT_EQ(trace().exit, 0);
  const OverlapRecord held = overlap_of("host_between");
  EXPECT_EQ(held.gaps, 3);
  EXPECT_GT(held.longest_gap_us, 0);
  EXPECT_NEAR(held.idle_us, 3 * held.longest_gap_us, 1e-6);
  EXPECT_EQ(held.ended_by, "copy to device 64 KiB on launch stream");
  EXPECT_EQ(held.waited_for, "host function on launch stream");
}

TEST_F(Traced, FilesFitTheSchemaAndTheirTracks) {
  ASSERT_EQ(trace().exit, 0);
  for (const char* rung : {"one_stream", "two_streams", "host_between"}) {
    const json document = document_of(rung);
    EXPECT_EQ(schema_violations(trace_schema(), document), std::vector<std::string>{}) << rung;
    EXPECT_EQ(partial_overlaps(tracks_of(document)), 0) << rung;
    EXPECT_EQ(count_named(document, "copy to device 64 KiB"), 4) << "one run, no rehearsal";
    EXPECT_EQ(document["otherData"]["simulated"], true);
  }
  EXPECT_EQ(record_of("two_streams").file, "traces/fxgpu-echo-65536-two_streams.json");
}

TEST_F(Traced, StreamsAndRangesHaveTheirNames) {
  ASSERT_EQ(trace().exit, 0);
  const json document = document_of("two_streams");
  std::set<std::string> names;
  for (const auto& [key, track] : tracks_of(document))
    names.insert(track.process + ": " + track.name);
  EXPECT_TRUE(names.contains("simulated GPU 0: even pieces"));
  EXPECT_TRUE(names.contains("simulated GPU 0: odd pieces"));
  std::set<std::string> ranges;
  for (const auto& event : document["traceEvents"])
    if (event["ph"] == "X" && event["args"].contains("range"))
      ranges.insert(event["args"]["range"]);
  EXPECT_EQ(ranges, (std::set<std::string>{"piece/in", "piece/out"}));
  EXPECT_EQ(count_named(document, "two streams from here on"), 1);
}

TEST_F(Traced, TheGraphOfARungHasTheSameOverlap) {
  ASSERT_EQ(trace({"--timer", "graph"}).exit, 0);
  const OverlapRecord two = overlap_of("two_streams");
  EXPECT_NEAR(two.overlapped_us / two.window_us, 3.0 / 5.0, 1e-3);
  EXPECT_EQ(partial_overlaps(tracks_of(document_of("two_streams"))), 0);
}

TEST_F(Traced, TheTableAndThePathsArePrinted) {
  const auto outcome = trace();
  for (const char* part :
       {" overlapped ", " it waited for\n", "host function on launch stream",
        "traces/fxgpu-echo-65536-two_streams.json\n",
        "traces: simulated schedule; lengths are estimated from instruction counts\n"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << outcome.out;
}

TEST_F(Traced, TheRunDocumentHasItAndFitsItsSchema) {
  ASSERT_EQ(trace().exit, 0);
  const auto document = json::parse(text_of(run_folder() / "run.json"));
  EXPECT_EQ(document["run"]["trace"], true);
  EXPECT_EQ(document["rows"][1]["traces"][0]["devices"][0]["most_at_once"], 2);
  const auto schema =
      text_of(std::filesystem::path(AISP_SOURCE_DIR) / "lab/record/run.schema.json");
  EXPECT_EQ(schema_violations(schema, document), std::vector<std::string>{});
}

TEST_F(Traced, WithoutTheOptionThereIsNone) {
  ASSERT_EQ(run(bench("fxgpu:echo") + Words{"--quick", "--device", "sim"}).exit, 0);
  EXPECT_TRUE(recorded().traces.empty());
  EXPECT_FALSE(std::filesystem::exists(run_folder() / "traces"));
}

TEST_F(Traced, OnTheHostThereIsNothingToTrace) {
  const auto outcome = run(bench("fx:good") + briefly + Words{"--trace"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("no trace: it runs on the host, which has no streams to trace\n"),
            std::string::npos)
      << outcome.out;
}

}  // namespace
}  // namespace aisp::lab
