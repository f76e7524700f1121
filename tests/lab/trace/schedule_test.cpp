#include "lab/trace/schedule.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/files.hpp"

namespace aisp::lab {
namespace {

using nlohmann::json;

json interval(int number, double start, double end, int after) {
  return {{"number", number}, {"device", 1},   {"stream", 3},   {"engine", "to device"},
          {"kernel", ""},     {"bytes", 4096}, {"range", "in"}, {"enqueued", 1000.0},
          {"start", start},   {"end", end},    {"after", after}};
}

json schedule() {
  return {{"begin", 1000.0},
          {"intervals", {interval(9, 3000, 4000, 7), interval(7, 1500, 3000, 2)}},
          {"waits", {{{"name", ""}, {"start", 1000.0}, {"end", 4000.0}, {"thread", 5}}}},
          {"ranges", {{{"name", "in"}, {"start", 1000.0}, {"end", 1000.0}, {"thread", 5}}}},
          {"marks", {{{"text", "more"}, {"at", 1200.5}, {"thread", 5}}}}};
}

TEST(Schedule, BecomesATraceInTheOrderOfStarts) {
  const Trace trace = trace_of_schedule(schedule().dump());
  EXPECT_TRUE(trace.simulated);
  ASSERT_EQ(trace.intervals.size(), 2u);
  const TraceInterval& first = trace.intervals[0];
  EXPECT_EQ(first.start, 500);
  EXPECT_EQ(first.end, 2000);
  EXPECT_EQ(first.enqueued, 0);
  EXPECT_EQ(first.device, 1);
  EXPECT_EQ(first.stream, 3u);
  EXPECT_EQ(first.engine, TraceEngine::to_device);
  EXPECT_EQ(first.name, "copy to device 4 KiB");
  EXPECT_EQ(first.range, "in");
  EXPECT_FALSE(first.after) << "what came before the trace is not in it";
  EXPECT_EQ(trace.intervals[1].after, 0u);
  ASSERT_EQ(trace.host.size(), 2u);
  EXPECT_TRUE(trace.host[0].blocks);
  EXPECT_TRUE(trace.host[1].range);
  ASSERT_EQ(trace.marks.size(), 1u);
  EXPECT_EQ(trace.marks[0].at, 200.5);
}

TEST(Schedule, KernelsHaveTheirNames) {
  json text = schedule();
  text["intervals"][0]["engine"] = "compute";
  text["intervals"][0]["kernel"] = "_ZN4ch115scaleILi4EEEvPf";
  const Trace trace = trace_of_schedule(text.dump());
  EXPECT_EQ(trace.intervals[1].name, "ch11::scale");
  EXPECT_EQ(trace.intervals[1].kernel, "void ch11::scale<4>(float*)");
}

TEST(Schedule, OfAnotherLibraryIsRefused) {
  json text = schedule();
  text["intervals"][0]["engine"] = "teleport";
  const auto refusal = refusal_of([&] { trace_of_schedule(text.dump()); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
}

}  // namespace
}  // namespace aisp::lab
