#include "lab/trace/overlap.hpp"

#include <gtest/gtest.h>

#include "lab/case/range.hpp"
#include "tests/lab/trace/made_up.hpp"

namespace aisp::lab {
namespace {

using enum TraceEngine;

Overlap only(const Trace& trace) {
  const auto overlaps = overlaps_of(trace);
  EXPECT_EQ(overlaps.size(), 1u);
  return overlaps.empty() ? Overlap{} : overlaps.front();
}

double busy(const Overlap& overlap, TraceEngine engine) {
  for (const auto& used : overlap.engines)
    if (used.engine == engine) return used.busy;
  return -1;
}

TEST(Overlap, OfNothingIsNothing) { EXPECT_TRUE(overlaps_of(Trace{}).empty()); }

TEST(Overlap, OneAfterTheOtherIsNone) {
  const Overlap overlap = only(trace_of(
      {work(to_device, 1, 100, 200), work(compute, 1, 200, 260), work(to_host, 1, 260, 300)}));
  EXPECT_EQ(overlap.window, 200);
  EXPECT_EQ(busy(overlap, to_device), 100);
  EXPECT_EQ(busy(overlap, compute), 60);
  EXPECT_EQ(busy(overlap, to_host), 40);
  EXPECT_EQ(busy(overlap, fill), -1);
  EXPECT_EQ(overlap.busy, 200);
  EXPECT_EQ(overlap.overlapped, 0);
  EXPECT_EQ(overlap.engines_overlapped, 0);
  EXPECT_EQ(overlap.most_at_once, 1);
  EXPECT_EQ(overlap.idle, 0);
  EXPECT_TRUE(overlap.gaps.empty());
  EXPECT_FALSE(overlap.longest);
  EXPECT_EQ(overlap.waited_for, "");
}

TEST(Overlap, CopiesBesideAKernelAreCountedOnce) {
  // Two copies in opposite directions beside one kernel: three at once from 50 to 60.
  const Overlap overlap = only(
      trace_of({work(compute, 1, 0, 100), work(to_device, 2, 40, 60), work(to_host, 3, 50, 70)}));
  EXPECT_EQ(overlap.window, 100);
  EXPECT_EQ(overlap.overlapped, 30);
  EXPECT_EQ(overlap.engines_overlapped, 30);
  EXPECT_EQ(overlap.most_at_once, 3);
  EXPECT_DOUBLE_EQ(overlap.share(overlap.overlapped), 0.3);
}

TEST(Overlap, KernelsOfTwoStreamsOverlapOnOneEngine) {
  const Overlap overlap = only(trace_of({work(compute, 1, 0, 100), work(compute, 2, 60, 160)}));
  EXPECT_EQ(overlap.overlapped, 40);
  EXPECT_EQ(overlap.engines_overlapped, 0);
  EXPECT_EQ(busy(overlap, compute), 160);
  EXPECT_EQ(overlap.engines.front().intervals, 2);
}

TEST(Overlap, ThatOneEndsWhenTheOtherBeginsIsNone) {
  const Overlap overlap = only(trace_of({work(compute, 1, 0, 100), work(compute, 2, 100, 160)}));
  EXPECT_EQ(overlap.overlapped, 0);
  EXPECT_EQ(overlap.most_at_once, 1);
}

TEST(Overlap, AnIntervalInsideAnotherDoesNotEndItsBusyTime) {
  const Overlap overlap = only(
      trace_of({work(compute, 1, 0, 100), work(compute, 2, 10, 20), work(compute, 2, 90, 95)}));
  EXPECT_EQ(busy(overlap, compute), 100);
  EXPECT_EQ(overlap.idle, 0);
}

HostInterval read(std::uint64_t thread, double start, double end) {
  return {.thread = thread, .name = storage_range, .start = start, .end = end, .range = true};
}

TEST(Storage, ReadsThatComeFirstOverlapWithNothingAndTheDeviceWaits) {
  Trace trace = trace_of({work(to_device, 1, 100, 120), work(compute, 1, 120, 125)});
  trace.host = {read(9, 0, 60), read(9, 60, 100)};
  trace.intervals[0].enqueued = 100;
  const Overlap overlap = only(trace);
  EXPECT_EQ(overlap.window, 125);
  EXPECT_EQ(busy(overlap, storage), 100);
  EXPECT_EQ(overlap.engines.back().intervals, 2);
  EXPECT_EQ(overlap.overlapped, 0);
  EXPECT_EQ(overlap.busy, 25);
  EXPECT_EQ(overlap.idle, 100);
  ASSERT_EQ(overlap.gaps.size(), 1u) << "ahead of the first copy";
  EXPECT_EQ(overlap.gaps[0].length(), 100);
  EXPECT_EQ(overlap.waited_for, "the host, which enqueued it 0.10 us into the gap");
}

TEST(Storage, ReadsOfSeveralThreadsAreOneEngineBesideCopiesAndProducts) {
  // Read from 0 to 50 and from 60 to 90; three at once from 30 to 40.
  Trace trace = trace_of({work(to_device, 2, 20, 40), work(compute, 1, 30, 55)});
  trace.host = {read(7, 0, 30), read(8, 10, 50), read(7, 60, 90)};
  const Overlap overlap = only(trace);
  EXPECT_EQ(overlap.window, 90) << "to the end of the last read";
  EXPECT_EQ(busy(overlap, storage), 80);
  EXPECT_EQ(overlap.overlapped, 30) << "from 20 to 50; two reads from 10 to 20 are one engine";
  EXPECT_EQ(overlap.engines_overlapped, 30);
  EXPECT_EQ(overlap.most_at_once, 3);
  EXPECT_EQ(overlap.busy + overlap.idle, overlap.window);
}

TEST(Storage, OtherRangesAreNoReadsAndReadsWithoutLengthChangeNothing) {
  Trace trace = trace_of({work(compute, 1, 10, 20)});
  trace.host = {{.name = "copy", .start = 0, .end = 50, .range = true},
                {.name = storage_range, .start = 0, .end = 50},  // a call that is named so
                read(7, 0, 0)};
  const Overlap overlap = only(trace);
  EXPECT_EQ(overlap.window, 10);
  EXPECT_EQ(busy(overlap, storage), 0) << "listed, for there was one";
  EXPECT_EQ(overlap.overlapped, 0);
  trace.simulated = true;
  trace.host.push_back(read(8, 12, 50));
  EXPECT_EQ(busy(only(trace), storage), 0) << "another thread has waited meanwhile";
  EXPECT_EQ(only(trace).window, 10);
}

TEST(Gaps, AreWhatNoEngineCovers) {
  const Overlap overlap = only(trace_of({work(compute, 1, 0, 10), work(to_host, 2, 5, 30),
                                         work(compute, 1, 40, 50), work(compute, 1, 75, 80)}));
  ASSERT_EQ(overlap.gaps.size(), 2u);
  EXPECT_EQ(overlap.gaps[0].length(), 10);
  EXPECT_EQ(overlap.idle, 35);
  EXPECT_EQ(overlap.busy + overlap.idle, overlap.window);
  ASSERT_TRUE(overlap.longest);
  EXPECT_EQ(overlap.longest->start, 50);
  EXPECT_EQ(overlap.longest->end, 75);
  EXPECT_EQ(overlap.longest->ended_by, 3u);
}

TEST(Gaps, AFunctionOnTheHostIsNoWorkOfTheDevice) {
  Trace trace =
      trace_of({work(compute, 1, 0, 10), work(host, 1, 10, 50), work(compute, 1, 50, 60)});
  trace.intervals[2].after = 1;
  const Overlap overlap = only(trace);
  EXPECT_EQ(overlap.idle, 40);
  EXPECT_EQ(busy(overlap, host), 40);
  EXPECT_EQ(overlap.window, 60);
  EXPECT_EQ(overlap.waited_for, "host function on main");
}

TEST(Gaps, WaitedForTheHostThatHadNotEnqueuedTheNextOne) {
  Trace trace = trace_of({work(compute, 1, 0, 1000), work(compute, 1, 9000, 9500)});
  trace.intervals[1].enqueued = 6000;
  trace.intervals[1].after = 0;
  EXPECT_EQ(only(trace).waited_for, "the host, which enqueued it 5.00 us into the gap");
}

TEST(Gaps, WaitedForTheCallThatHeldTheHost) {
  Trace trace = trace_of({work(compute, 1, 0, 1000), work(compute, 1, 9000, 9500)});
  trace.intervals[1].enqueued = 6000;
  trace.host = {{.name = "cudaLaunchKernel", .start = 900, .end = 6000},
                {.name = "cudaFree", .start = 1000, .end = 1200, .blocks = true},
                {.name = "cudaStreamSynchronize",
                 .start = 500,
                 .end = 5500,
                 .blocks = true,
                 .waits_for = "main"}};
  EXPECT_EQ(only(trace).waited_for,
            "the host, held by cudaStreamSynchronize for main, which enqueued it 5.00 us into the "
            "gap");
}

TEST(Gaps, WaitedForWorkOfAnotherStream) {
  Trace trace = trace_of({work(to_device, 2, 0, 1000), work(compute, 1, 4000, 5000)});
  trace.intervals[1].after = 0;
  EXPECT_EQ(only(trace).waited_for,
            "copy to device 1 KiB on side, which had ended 3.00 us earlier");
}

TEST(Gaps, OfUnknownCauseSaySo) {
  Trace trace = trace_of({work(compute, 1, 0, 1000), work(compute, 2, 4000, 5000)});
  EXPECT_EQ(only(trace).waited_for, "nothing that the trace knows of");
}

TEST(Devices, EachHasItsOwnWindow) {
  Trace trace =
      trace_of({work(compute, 1, 0, 100), work(compute, 1, 20, 60), work(peer, 1, 60, 90)});
  trace.intervals[1].device = trace.intervals[2].device = 1;
  const auto overlaps = overlaps_of(trace);
  ASSERT_EQ(overlaps.size(), 2u);
  EXPECT_EQ(overlaps[0].window, 100);
  EXPECT_EQ(overlaps[0].overlapped, 0);
  EXPECT_EQ(overlaps[1].device, 1);
  EXPECT_EQ(overlaps[1].window, 70);
}

}  // namespace
}  // namespace aisp::lab
