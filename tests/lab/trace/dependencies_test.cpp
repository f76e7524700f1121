// What comes after what, worked out from the order of the host's calls.
#include <gtest/gtest.h>

#include "lab/trace/overlap.hpp"
#include "tests/lab/trace/hand_made.hpp"

namespace aisp::lab {
namespace {

TEST(Dependencies, AStreamRunsItsWorkInOrder) {
  HandMadeLog log;
  log.kernel(14, 5, 100, 200);
  log.kernel(14, 6, 250, 300);
  log.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 13, 7, 260, 400);
  const Trace trace = log.made();
  ASSERT_EQ(trace.intervals.size(), 3u);
  EXPECT_FALSE(trace.intervals[0].after);
  EXPECT_EQ(trace.intervals[1].after, 0u);
  EXPECT_FALSE(trace.intervals[2].after) << "another stream";
}

TEST(Dependencies, AnEventHoldsAnotherStream) {
  HandMadeLog log;
  log.kernel(14, 4, 100, 1000);                                 // math
  log.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 13, 5, 100, 5000);  // copies
  log.event(13, 6, 42);
  log.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 13, 7, 5000, 5500);  // after the event
  log.synchronization(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT, 8, 14, 42);
  log.kernel(14, 9, 8000, 9000);
  const Trace trace = log.made();
  ASSERT_EQ(trace.intervals.size(), 4u);
  ASSERT_TRUE(trace.intervals[3].after);
  EXPECT_EQ(trace.intervals[*trace.intervals[3].after].correlation, 5u);
}

TEST(Dependencies, TheGapAfterAnEventNamesWhatWasWaitedFor) {
  HandMadeLog log;
  log.call(3, 5, 10, 20);
  log.call(1, 9, 40, 50);
  log.copy(CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, 13, 5, 100, 5000);
  log.event(13, 6, 42);
  log.synchronization(CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT, 8, 14, 42);
  log.kernel(14, 9, 8000, 9000);
  const auto overlaps = overlaps_of(log.made());
  ASSERT_EQ(overlaps.size(), 1u);
  EXPECT_EQ(overlaps[0].waited_for,
            "copy to device 8 MiB on copies, which had ended 3.00 us earlier");
}

TEST(Dependencies, AProgrammaticLaunchDidNotWaitForTheEndOfTheOneAhead) {
  HandMadeLog log;
  log.kernel(14, 5, 100, 1000);
  log.kernel(14, 6, 900, 1500);
  const Trace trace = log.made();
  ASSERT_EQ(trace.intervals.size(), 2u);
  EXPECT_FALSE(trace.intervals[1].after);
}

TEST(Dependencies, NodesOfAGraphFollowEachOtherOnTheirStreams) {
  HandMadeLog log;
  log.kernel(14, 4, 0, 50);
  log.kernel(14, 5, 100, 200);  // one launch, three nodes
  log.kernel(15, 5, 110, 220);
  log.kernel(14, 5, 210, 300);
  log.kernel(14, 6, 400, 500);
  const Trace trace = log.made();
  ASSERT_EQ(trace.intervals.size(), 5u);
  EXPECT_EQ(trace.intervals[1].after, 0u);
  EXPECT_EQ(trace.intervals[2].after, 0u);
  EXPECT_EQ(trace.intervals[3].after, 1u);
  EXPECT_EQ(trace.intervals[4].after, 3u);
}

}  // namespace
}  // namespace aisp::lab
