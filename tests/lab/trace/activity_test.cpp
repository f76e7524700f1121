// CUPTI's records as a trace.
#include "lab/trace/activity.hpp"

#include <gtest/gtest.h>

#include "tests/lab/trace/hand_made.hpp"

namespace aisp::lab {
namespace {

TEST(Activity, AKernelHasItsNameStreamAndTimes) {
  HandMadeLog log;
  log.call(1, 5, 100, 200);
  log.kernel(14, 5, 3000, 4001);
  const Trace trace = log.made();
  ASSERT_EQ(trace.intervals.size(), 1u);
  const TraceInterval& kernel = trace.intervals[0];
  EXPECT_EQ(kernel.name, "ch11::scale");
  EXPECT_EQ(kernel.kernel, "void ch11::scale<4>(float*)");
  EXPECT_EQ(kernel.engine, TraceEngine::compute);
  EXPECT_EQ(kernel.start, 3000);
  EXPECT_EQ(kernel.end, 4001);
  EXPECT_EQ(kernel.correlation, 5u);
  EXPECT_EQ(kernel.enqueued, 100);
  EXPECT_EQ(stream_name(trace, kernel.device, kernel.stream), "math");
}

TEST(Activity, CopiesGoToTheEngineOfTheirDirection) {
  const std::pair<std::uint8_t, TraceEngine> kinds[] = {
      {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, TraceEngine::to_device},
      {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, TraceEngine::to_host},
      {CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, TraceEngine::device_copy},
      {CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, TraceEngine::peer},
      {CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN, TraceEngine::device_copy}};
  HandMadeLog log;
  std::uint64_t at = 0;
  for (const auto& [kind, engine] : kinds) {
    log.copy(kind, 13, 0, at, at + 10);
    ++at;
  }
  const Trace trace = log.made();
  ASSERT_EQ(trace.intervals.size(), std::size(kinds));
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    EXPECT_EQ(trace.intervals[i].engine, kinds[i].second) << i;
  EXPECT_EQ(trace.intervals[0].name, "copy to device 8 MiB");
  EXPECT_EQ(trace.intervals[0].bytes, 8 << 20);
}

TEST(Activity, FillsAndPeerCopiesAreTaken) {
  HandMadeLog log;
  CUpti_ActivityMemset4 fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.bytes = 512;
  fill.start = trace_begin + 10;
  fill.end = trace_begin + 20;
  log.put(fill);
  CUpti_ActivityMemcpyPtoP4 peer{};
  peer.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
  peer.bytes = 1536;
  peer.deviceId = 1;
  peer.start = trace_begin + 30;
  peer.end = trace_begin + 60;
  log.put(peer);
  const Trace trace = log.made();
  ASSERT_EQ(trace.intervals.size(), 2u);
  EXPECT_EQ(trace.intervals[0].name, "fill 512 B");
  EXPECT_EQ(trace.intervals[1].name, "copy to peer 1.5 KiB");
  EXPECT_EQ(trace.intervals[1].device, 1);
}

TEST(Activity, UnknownKindsAndTimesAreLeftOut) {
  HandMadeLog log;
  const CUpti_Activity strange{.kind = static_cast<CUpti_ActivityKind>(54321)};
  log.add(strange);
  log.put(CUpti_Activity{.kind = CUPTI_ACTIVITY_KIND_INVALID});
  CUpti_ActivityKernel10 timeless{};
  timeless.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  log.put(timeless);
  EXPECT_TRUE(log.made().intervals.empty());
}

TEST(Activity, WhatEndedBeforeTheTraceBeganIsLeftOut) {
  HandMadeLog log;
  CUpti_ActivityMemset4 early{};
  early.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  early.start = trace_begin - 20;
  early.end = trace_begin - 10;
  log.put(early);
  log.kernel(14, 5, 10, 20);
  EXPECT_EQ(log.made().intervals.size(), 1u);
  log.clear();
  EXPECT_TRUE(log.made().intervals.empty());
}

TEST(Activity, WorkBelongsToTheRangeOfTheThreadThatEnqueuedIt) {
  const std::vector<LoggedRange> ranges{
      {77, "step", "step", trace_begin + 50, trace_begin + 300},
      {77, "copy in", "step/copy in", trace_begin + 90, trace_begin + 150},
      {78, "other", "other", trace_begin + 0, trace_begin + 1000}};
  HandMadeLog log;
  log.call(3, 5, 100, 140);
  log.call(1, 6, 200, 210);
  log.call(1, 7, 400, 410);
  log.call(1, 8, 100, 110, 78);
  for (std::uint32_t i = 5; i <= 8; ++i) log.kernel(14, i, 1000 * i, 1000 * i + 1);
  const Trace trace = log.made(ranges);
  ASSERT_EQ(trace.intervals.size(), 4u);
  EXPECT_EQ(trace.intervals[0].range, "step/copy in");
  EXPECT_EQ(trace.intervals[1].range, "step");
  EXPECT_EQ(trace.intervals[2].range, "");
  EXPECT_EQ(trace.intervals[3].range, "other");
  EXPECT_EQ(trace.host.size(), 7u) << "four calls and three ranges";
}

TEST(Activity, CallsThatBlockSayWhatTheyWaitFor) {
  HandMadeLog log;
  log.call(2, 9, 100, 5000);
  log.synchronization(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, 9, 13);
  log.call(1, 10, 5100, 5200);
  log.kernel(14, 10, 6000, 6100);
  const Trace trace = log.made();
  ASSERT_EQ(trace.host.size(), 2u);
  EXPECT_TRUE(trace.host[0].blocks);
  EXPECT_EQ(trace.host[0].waits_for, "copies");
  EXPECT_FALSE(trace.host[1].blocks);
}

}  // namespace
}  // namespace aisp::lab
