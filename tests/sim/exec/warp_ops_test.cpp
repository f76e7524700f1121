// Warp-wide instructions and barriers: forms, misuse, and waiting under divergence.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/support/exec_kernel.hpp"

using namespace aisp;

namespace {

using exec_kernel::refusal;
using exec_kernel::run;
using testing::Each;
using testing::HasSubstr;

TEST(WarpOps, AcceptWhatPtxasAccepts) {
  for (const char* text : {
           "shfl.idx.sync.b32 %r3, %r4, %r5, 31, -1;",
           "shfl.sync.idx.b32 %f0, %f1, %r5, 31, -1;",
           "vote.all.sync.pred %p1, !%p2, -1;",
           "vote.sync.ballot.b32 %r3, !%p1, %r4;",
           "match.sync.any.b32 %r3, %r4, -1;",
           "match.all.sync.b32 %r3, %r4, -1;",
           "elect.sync _|%p1, -1;",
           "bar.cta.sync 0;",
           "bar.sync %r3, %r4;",
           "barrier.red.aligned.popc.u32 %r3, 0, %p1;",
           "barrier.cta.red.popc.aligned.u32 %r3, 0, %p1;",
           "barrier.arrive 0, 32;",
           "barrier.cluster.arrive.aligned.release;",
           "fence.proxy.tensormap::generic.acquire.cta [%d0], 128;",
           "setmaxnreg.inc.sync.aligned.u32 256;",
       })
    EXPECT_EQ(refusal({.body = text}), "") << text;
}

TEST(WarpOps, RefuseWhatPtxasRefuses) {
  for (const char* text : {
           "shfl.up.b32 %r3, %r4, %r5, 0;",
           "shfl.sync.idx.b32 _|%p1, %r4, %r5, 31, -1;",
           "shfl.sync.idx.f32 %f0, %f1, %r5, 31, -1;",
           "vote.all.pred %p1, %p2;",
           "vote.sync.ballot.pred %p1, %p2, -1;",
           "match.any.sync.b32 %r3|%p1, %r4, -1;",
           "redux.sync.and.u32 %r3, %r4, -1;",
           "redux.sync.min.b32 %r3, %r4, -1;",
           "redux.sync.min.f32 %f0, %f1, -1;",
           "redux.sync.add.abs.s32 %r3, %r4, -1;",
           "elect.sync %r3, -1;",
           "bar.sync 1, 63;",
           "bar.sync 16;",
           "bar.arrive 1;",
           "bar.sync.aligned 0;",
           "barrier.cluster.arrive.acquire;",
           "barrier.cluster.wait.relaxed;",
           "membar.gpu;",
           "membar.proxy.async;",
           "fence.release.sync_restrict::shared::cluster.cluster;",
           "fence.mbarrier_init.release.gpu;",
           "fence.proxy.async.shared;",
           "fence.proxy.tensormap::generic.acquire.gpu [%d0], 64;",
           "fence.acq_rel;",
           "fence.sc.gl;",
           "setmaxnreg.dec.sync.aligned.u32 25;",
           "setmaxnreg.inc.sync.aligned.u32 264;",
       })
    EXPECT_NE(refusal({.body = text}), "") << text;
  EXPECT_NE(refusal({.body = "setmaxnreg.inc.sync.aligned.u32 64;", .target = "sm_90"}), "");
  EXPECT_NE(refusal({.body = "barrier.cluster.wait;", .target = "sm_80"}), "");
}

TEST(WarpOps, ALaneMustNameItself) {
  EXPECT_THAT(run({.body = "shfl.sync.idx.b32 %r3, %r0, 0, 31, 0xffff;"}).fault(),
              HasSubstr("lane 16 executes an instruction whose membermask 0xffff"));
}

TEST(WarpOps, LanesThatNeverComeAreADeadlock) {
  const auto result = run({.body = "setp.lt.u32 %p1, %r0, 16; @%p1 bra low;"
                                   "bar.sync 0; bra.uni end;"
                                   "low: shfl.sync.idx.b32 %r3, %r0, 0, 31, -1; bar.sync 0; end:"});
  EXPECT_THAT(result.fault(), HasSubstr("deadlock"));
}

TEST(Barriers, MisuseIsNamedWithNumbers) {
  const auto fault = [](const char* text, std::uint32_t block = 64) {
    return run({.body = text, .block = block}).fault();
  };
  EXPECT_THAT(fault("mov.u32 %r3, 16; bar.sync %r3;"), HasSubstr("barrier 16"));
  EXPECT_THAT(fault("mov.u32 %r3, 40; bar.sync 1, %r3;"), HasSubstr("40 threads"));
  EXPECT_THAT(fault("setp.lt.u32 %p1, %r0, 32; @%p1 bra low; bar.sync 1, 64; bra.uni end;"
                    "low: bar.sync 1, 96; end:"),
              HasSubstr("96"));
  EXPECT_THAT(fault("setp.lt.u32 %p1, %r0, 16; setp.ge.or.u32 %p1, %r0, 32, %p1;"
                    "@%p1 barrier.arrive 1, 32;"),
              HasSubstr("48 threads arrived, 32 are expected"));
  EXPECT_THAT(fault("bar.sync %r0;"), HasSubstr("different barriers"));
  EXPECT_THAT(fault("barrier.cluster.wait;"), HasSubstr("without an arrive"));
  EXPECT_THAT(fault("barrier.cluster.arrive; barrier.cluster.arrive;"), HasSubstr("twice"));
}

TEST(Barriers, AMissingArrivalIsADeadlockThatSaysWhoWaits) {
  const auto result =
      run({.body = "setp.lt.u32 %p1, %r0, 32; @%p1 exit; bar.sync 2, 64;", .block = 64});
  EXPECT_THAT(result.fault(), HasSubstr("barrier 2"));
  EXPECT_THAT(result.fault(), HasSubstr("32 of 64"));
}

TEST(Barriers, WaitsAreCounted) {
  const auto result = run({.body = "bar.sync 0;", .block = 128});
  EXPECT_EQ(result.launch.counters.barrier_waits, 3u);
}

// Two pairs of warps use one barrier in turn; what a phase reduced reaches its own waiters even
// when the next phase is over before they run again.
TEST(Barriers, ResultsBelongToTheirPhase) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto result = run({.body = "setp.lt.u32 %p1, %r0, 64;"
                                     "@!%p1 bar.sync 2, 128;"
                                     "bar.red.popc.u32 %r3, 1, 64, %p1;"
                                     "@%p1 bar.arrive 2, 128;"
                                     "mul.wide.u32 %d3, %r0, 4; add.u64 %d3, %d3, %d1;"
                                     "st.global.u32 [%d3], %r3;",
                             .block = 128,
                             .out_words = 128},
                            {.order = sim::Order::random, .seed = seed});
    ASSERT_EQ(result.fault(), "");
    EXPECT_THAT(std::vector(result.out.begin(), result.out.begin() + 64), Each(64u));
    EXPECT_THAT(std::vector(result.out.begin() + 64, result.out.end()), Each(0u));
  }
}

}  // namespace
