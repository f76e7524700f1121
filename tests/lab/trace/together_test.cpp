// Traces of two processes become one.
#include "lab/trace/together.hpp"

#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "lab/case/elsewhere.hpp"

namespace aisp::lab {
namespace {

// On device 0: something, the start line until `meets`, a kernel and a copy that waits for it.
Trace process(double meets) {
  Trace trace;
  trace.simulated = true;
  trace.intervals = {
      {.device = 0, .stream = 7, .name = "load", .start = meets - 9, .end = meets - 5},
      {.device = 0,
       .stream = 7,
       .name = "sum",
       .start = meets - 4,
       .end = meets - 1,
       .range = "step/start line"},
      {.device = 0,
       .stream = 8,
       .name = "sum again",
       .start = meets - 3,
       .end = meets,
       .range = meeting_range},
      {.device = 0,
       .stream = 7,
       .engine = TraceEngine::compute,
       .name = "backward",
       .kernel = "backward<4>",
       .start = meets + 2,
       .end = meets + 6,
       .correlation = 5,
       .range = "not the start line",
       .enqueued = meets + 1,
       .after = 2},
      {.device = 0,
       .stream = 8,
       .engine = TraceEngine::to_host,
       .name = "copy",
       .start = meets + 6,
       .end = meets + 7,
       .bytes = 64,
       .after = 3}};
  trace.streams = {{0, 7, "compute"}, {0, 8, "communication"}};
  return trace;
}

const TraceInterval& on(const Trace& trace, int device, const std::string& name) {
  for (const auto& interval : trace.intervals)
    if (interval.device == device && interval.name == name) return interval;
  throw std::out_of_range(name);
}

TEST(Together, MeetAtTheEndOfTheStartLine) {
  Trace whole = process(100);
  add_process(whole, process(20), "rank 1");
  ASSERT_EQ(whole.intervals.size(), 9u) << "what it did before the start line is left out";
  EXPECT_EQ(on(whole, 1, "sum again").end, 100);
  EXPECT_EQ(on(whole, 1, "sum").start, 96);
  EXPECT_EQ(on(whole, 1, "backward").start, 102);
  EXPECT_EQ(on(whole, 1, "backward").enqueued, 101);
  EXPECT_EQ(on(whole, 1, "backward").correlation, 0u);
  EXPECT_EQ(on(whole, 0, "backward").correlation, 5u);
  EXPECT_EQ(&whole.intervals.at(*on(whole, 1, "copy").after), &on(whole, 1, "backward"));
  EXPECT_EQ(&whole.intervals.at(*on(whole, 0, "copy").after), &on(whole, 0, "backward"));
  EXPECT_EQ(device_name(whole, 0), "simulated GPU 0");
  EXPECT_EQ(device_name(whole, 1), "rank 1: simulated GPU 0");
  EXPECT_EQ(stream_name(whole, 1, 8), "communication");
}

TEST(Together, BeginAtZeroWhoeverCameFirst) {
  Trace whole = process(10);
  Trace early = process(200);
  early.intervals[1].start = 150;  // it has waited for long
  whole.marks = {{.thread = 1, .text = "here", .at = 3}};
  whole.host = {{.thread = 1, .name = "wait", .start = 2, .end = 4}};
  add_process(whole, early, "rank 1");
  EXPECT_EQ(whole.intervals.front().start, 0);
  EXPECT_EQ(on(whole, 1, "sum again").end, 50);
  EXPECT_EQ(on(whole, 0, "sum again").end, 50);
  EXPECT_EQ(whole.marks[0].at, 43);
  EXPECT_EQ(whole.host[0].end, 44);
}

TEST(Together, AddNothingWhereTheyHaveNotMet) {
  Trace whole = process(10), alone = process(10);
  for (auto& interval : alone.intervals) interval.range = "start lines";
  add_process(whole, alone, "rank 1");
  EXPECT_EQ(whole.intervals.size(), 5u);
}

TEST(Together, GoThroughText) {
  const Trace before = process(12.5), after = trace_of_text(text_of_trace(before));
  ASSERT_EQ(after.intervals.size(), before.intervals.size());
  for (std::size_t i = 0; i < before.intervals.size(); ++i) {
    const auto &a = before.intervals[i], &b = after.intervals[i];
    EXPECT_EQ(std::tie(a.device, a.stream, a.engine, a.name, a.kernel, a.start, a.end, a.bytes,
                       a.range, a.enqueued, a.after),
              std::tie(b.device, b.stream, b.engine, b.name, b.kernel, b.start, b.end, b.bytes,
                       b.range, b.enqueued, b.after));
  }
  EXPECT_TRUE(after.simulated);
  EXPECT_EQ(stream_name(after, 0, 7), "compute");
  for (const char* bad : {"", "{}", "[1, 2]", "{\"simulated\": true, \"intervals\": [[1]]}"})
    EXPECT_THROW(trace_of_text(bad), base::Refusal) << bad;
  std::string wild = text_of_trace(before);
  wild.replace(wild.find(",3]"), 3, ",9]");  // after an interval that is not there
  EXPECT_THROW(trace_of_text(wild), base::Refusal);
}

}  // namespace
}  // namespace aisp::lab
