// Lanes of one warp that wait for each other: masks, meeting points, spin locks.
#include <algorithm>

#include "tests/sim/support/run_orders.hpp"

using namespace aisp;

namespace {

using namespace run_orders;

// A counter in memory that only the holder of a lock touches, without atomics.
std::string lock_kernel(const std::string& space, const std::string& lock) {
  return R"(
    LOCK: atom)" +
         space + ".cas.b32 %r2, [" + lock + R"(], 0, 1;
    setp.ne.u32 %p0, %r2, 0;
    @%p0 bra LOCK;
    ld.volatile)" +
         space + ".u32 %r9, [" + lock + R"(+4];
    add.u32 %r3, %r9, 1;
    st.volatile)" +
         space + ".u32 [" + lock + R"(+4], %r3;
    atom)" +
         space + ".exch.b32 %r2, [" + lock + "], 0;\n" + put;
}

void expect_each_ticket_once(Words out, std::size_t count) {
  out.resize(count);
  std::sort(out.begin(), out.end());
  EXPECT_EQ(out, words(count, [](std::uint32_t i) { return i; }));
}

TEST(Collective, SpinLockAmongLanes) {
  for (const auto& settings : all_settings()) {
    const Result in_global =
        run_well({.body = lock_kernel(".global", "%d0"), .block = 128, .out_words = 128}, settings);
    expect_each_ticket_once(in_global.out, 128);
    EXPECT_EQ(in_global.in[1], 128u);
    EXPECT_LT(in_global.launch.warp_instructions, 2'000'000u);
    const Result in_shared = run_well({.body = lock_kernel(".shared", "%r1")}, settings);
    expect_each_ticket_once(in_shared.out, 32);
  }
}

// The consumer is the lane that a branch runs first, or second; the producer stands in the other
// way, or behind the place where both meet.
TEST(Collective, LanesOfOneWarpWaitForEachOthersStores) {
  for (const int consumer : {0, 31})
    for (const bool behind : {false, true}) {
      const std::string produce = "st.shared.u32 [%r1+4], 77;\nst.volatile.shared.u32 [%r1], 1;\n";
      const std::string other = std::to_string(31 - consumer);
      const Words out = in_all_orders(
          {.body = "mov.u32 %r9, 5;\nsetp.eq.u32 %p0, %r0, " + std::to_string(consumer) +
                   ";\nsetp.eq.u32 %p1, %r0, " + other + ";\n@%p0 bra CONSUME;\n" +
                   (behind ? "" : "@!%p1 bra JOIN;\n" + produce) + "bra JOIN;\n" +
                   "CONSUME: ld.volatile.shared.u32 %r2, [%r1];\nsetp.eq.u32 %p2, %r2, 0;\n"
                   "@%p2 bra CONSUME;\nld.volatile.shared.u32 %r9, [%r1+4];\nJOIN:\n" +
                   (behind ? "@!%p1 bra LAST;\n" + produce + "LAST:\n" : "") + put});
      for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(out[lane], lane == consumer ? 77u : 5u);
    }
}

TEST(Collective, HalvesWithMasksOfTheirOwn) {
  const Words out = in_all_orders({.body = R"(
    setp.lt.u32 %p0, %r0, 16;
    @%p0 bra LOW;
    shfl.sync.bfly.b32 %r9, %r0, 1, 31, 0xffff0000;
    vote.sync.ballot.b32 %r8, 1, 0xffff0000;
    bra DONE;
    LOW: redux.sync.add.u32 %r9, %r0, 0xffff;
    vote.sync.ballot.b32 %r8, 1, 0x0000ffff;
    DONE:
  )" + put + "st.global.u32 [%d9+128], %r8;\n"});
  for (std::uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i < 16 ? 120u : i ^ 1u);
    EXPECT_EQ(out[32 + i], i < 16 ? 0xffffu : 0xffff0000u);
  }
}

// Three groups exchange through shared memory; each stands at a bar.warp.sync of its own.
TEST(Collective, WarpBarrierFromDifferentInstructions) {
  const Words out = in_all_orders({.body = R"(
    shl.b32 %r2, %r0, 2;
    add.u32 %r2, %r2, %r1;
    xor.b32 %r3, %r0, 31;
    shl.b32 %r3, %r3, 2;
    add.u32 %r3, %r3, %r1;
    setp.lt.u32 %p0, %r0, 10;
    setp.lt.u32 %p1, %r0, 20;
    @%p0 bra A;
    @%p1 bra B;
    st.shared.u32 [%r2], 3;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r9, [%r3];
    bra DONE;
    A: st.shared.u32 [%r2], 1;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r9, [%r3];
    bra DONE;
    B: st.shared.u32 [%r2], 2;
    bar.warp.sync 0xffffffff;
    ld.shared.u32 %r9, [%r3];
    DONE: activemask.b32 %r8;
  )" + put + "st.global.u32 [%d9+128], %r8;\n"});
  for (std::uint32_t i = 0; i < 32; ++i) {
    const std::uint32_t from = i ^ 31;
    EXPECT_EQ(out[i], from < 10 ? 1u : from < 20 ? 2u : 3u) << i;
    EXPECT_EQ(out[32 + i], 0xffffffffu);
  }
}

// Lanes that lost each other are together again behind a bar.warp.sync that all of them reach.
TEST(Collective, WarpBarrierBringsLanesTogether) {
  const Words out = in_all_orders({.body = R"(
    and.b32 %r2, %r0, 3;
    setp.eq.u32 %p0, %r2, 0;
    setp.gt.u32 %p1, %r0, 1000;
    @%p0 bra A;
    @%p1 exit;
    bra B;
    A: @%p1 exit;
    B: bar.warp.sync 0xffffffff;
    activemask.b32 %r9;
  )" + put});
  EXPECT_EQ(head(out, 32), Words(32, 0xffffffffu));
}

// Lanes on their way out wait for nobody, while a neighbour warp spins on what the others do.
TEST(Collective, LanesAtTheEndAreNotNeeded) {
  const Words out = in_all_orders({.body = R"(
    and.b32 %r2, %r0, 31;
    setp.ge.u32 %p0, %r2, 16;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra WATCH;
    @%p0 bra END;
    bar.warp.sync 0xffffffff;
    st.volatile.shared.u32 [%r1], 9;
    bra END;
    WATCH: ld.volatile.shared.u32 %r9, [%r1];
    setp.eq.u32 %p2, %r9, 0;
    @%p2 bra WATCH;
    mad.wide.u32 %d9, %r2, 4, %d1;
    st.global.u32 [%d9], %r9;
    END:
  )",
                                   .block = 64});
  EXPECT_EQ(head(out, 32), Words(32, 9u));
}

TEST(Collective, SleepersWakeUp) {
  const Words out = in_all_orders({.body = R"(
    setp.eq.u32 %p0, %r0, 40;
    @!%p0 bra POLL;
    mov.u32 %r2, 0;
    REST: nanosleep.u32 100;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 200;
    @%p1 bra REST;
    st.volatile.shared.u32 [%r1], %r2;
    POLL: nanosleep.u32 20;
    ld.volatile.shared.u32 %r9, [%r1];
    setp.eq.u32 %p1, %r9, 0;
    @%p1 bra POLL;
  )" + put,
                                   .block = 64});
  EXPECT_EQ(head(out, 64), Words(64, 200u));
}

}  // namespace
