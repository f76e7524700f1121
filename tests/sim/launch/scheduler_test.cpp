// Which block and which warp has its turn: blocks that wait for each other, orders, seeds, and that
// waiting costs little.
#include <chrono>
#include <set>

#include "tests/sim/support/run_orders.hpp"

using namespace aisp;

namespace {

using namespace run_orders;

double seconds_of(auto&& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// All blocks meet `rounds` times: thread 0 counts its block in and polls, the others wait for it.
std::string grid_barrier(int rounds, const std::string& back_off = "") {
  return R"(
    mov.u32 %r2, 0;
    mov.u32 %r3, %nctaid.x;
    mov.u32 %r4, %r3;
    setp.ne.u32 %p0, %r0, 0;
    ROUND: bar.sync 0;
    @%p0 bra MEET;
    atom.acq_rel.gpu.global.add.u32 %r5, [%d0], 1;
    POLL: )" +
         back_off + R"(
    ld.acquire.gpu.global.u32 %r5, [%d0];
    setp.lt.u32 %p1, %r5, %r4;
    @%p1 bra POLL;
    MEET: bar.sync 0;
    add.u32 %r4, %r4, %r3;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, )" +
         std::to_string(rounds) + ";\n@%p1 bra ROUND;\n";
}

TEST(Scheduler, GridBarrierIsQuick) {
  for (const auto& settings : all_settings())
    for (const char* back_off : {"", "nanosleep.u32 32;"}) {
      Result result;
      const double seconds = seconds_of([&] {
        result = run_well({.body = grid_barrier(6, back_off), .grid = 264, .block = 64}, settings);
      });
      EXPECT_EQ(result.in[0], 264u * 6);
      EXPECT_LT(seconds, 10.0);  // 50 ms where this was written; minutes without the heuristic
    }
}

TEST(Scheduler, TimePassesForALoopThatWaitsForIt) {
  const Words out = in_all_orders({.body = R"(
    mov.u64 %d2, %globaltimer;
    mov.u64 %d4, %clock64;
    add.u64 %d2, %d2, 1000;
    WAIT: mov.u64 %d3, %globaltimer;
    setp.lt.u64 %p0, %d3, %d2;
    @%p0 bra WAIT;
    mov.u64 %d5, %clock64;
    setp.gt.u64 %p1, %d5, %d4;
    selp.u32 %r2, 1, 0, %p1;
    st.global.u32 [%d1], %r2;
  )",
                                   .block = 1,
                                   .out_words = 1});
  EXPECT_EQ(out, Words(1, 1u));
}

TEST(Scheduler, FirstBlockWaitsForTheLastOne) {
  const Words out = in_all_orders({.body = R"(
    mov.u32 %r2, %ctaid.x;
    setp.eq.u32 %p0, %r2, 131;
    @%p0 bra LAST;
    POLL: ld.relaxed.gpu.global.u32 %r9, [%d0];
    setp.eq.u32 %p1, %r9, 0;
    @%p1 bra POLL;
    bra DONE;
    LAST: mov.u32 %r9, 42;
    st.relaxed.gpu.global.u32 [%d0], %r9;
    DONE: mad.wide.u32 %d9, %r2, 4, %d1;
    st.global.u32 [%d9], %r9;
  )",
                                   .grid = 132,
                                   .block = 1,
                                   .out_words = 132});
  EXPECT_EQ(out, Words(132, 42u));
}

// A chain from the last block to the first through all that are resident.
TEST(Scheduler, BlocksWaitForTheirNeighbours) {
  const Words out = in_all_orders({.body = R"(
    mov.u32 %r2, %ctaid.x;
    mad.wide.u32 %d9, %r2, 4, %d1;
    setp.eq.u32 %p0, %r2, 63;
    mov.u32 %r9, 1;
    @%p0 bra DONE;
    POLL: ld.volatile.global.u32 %r9, [%d9+4];
    setp.eq.u32 %p1, %r9, 0;
    @%p1 bra POLL;
    add.u32 %r9, %r9, 1;
    DONE: st.volatile.global.u32 [%d9], %r9;
  )",
                                   .grid = 64,
                                   .block = 1,
                                   .out_words = 64});
  EXPECT_EQ(out, words(64, [](std::uint32_t i) { return 64 - i; }));
}

// One warp polls an mbarrier and does, when the answer is no, what another one spins for.
TEST(Scheduler, PollersGiveUpWhileOthersSpin) {
  const Words out = in_all_orders({.body = R"(
    setp.ne.u32 %p0, %r0, 0;
    @!%p0 mbarrier.init.shared.b64 [%r1], 1;
    bar.sync 0;
    setp.ge.u32 %p1, %r0, 32;
    @%p1 bra SPIN;
    TRY: mbarrier.test_wait.parity.shared.b64 %p2, [%r1], 0;
    @!%p0 st.volatile.shared.u32 [%r1+8], 6;
    @!%p2 bra TRY;
    mov.u32 %r9, 1;
    bra DONE;
    SPIN: ld.volatile.shared.u32 %r9, [%r1+8];
    setp.eq.u32 %p2, %r9, 0;
    @%p2 bra SPIN;
    setp.eq.u32 %p2, %r0, 32;
    @%p2 mbarrier.arrive.shared.b64 _, [%r1];
    DONE:
  )" + put,
                                   .block = 64});
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], i < 32 ? 1u : 6u);
}

// Every warp draws tickets: who got which shows how the warps and blocks took turns.
Kernel tickets(std::uint32_t grid) {
  return {.body = R"(
    mov.u32 %r2, 0;
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %warpid;
    and.b32 %r5, %r0, 31;
    setp.ne.u32 %p0, %r5, 0;
    @%p0 bra DONE;
    mad.lo.u32 %r6, %r3, 4, %r4;
    LOOP: mov.u32 %r7, 0;
    BUSY: add.u32 %r7, %r7, 1;
    setp.lt.u32 %p1, %r7, 40;
    @%p1 bra BUSY;
    atom.global.add.u32 %r9, [%d0], 1;
    mad.wide.u32 %d9, %r9, 4, %d1;
    st.global.u32 [%d9], %r6;
    add.u32 %r2, %r2, 1;
    setp.lt.u32 %p1, %r2, 8;
    @%p1 bra LOOP;
    DONE:
  )",
          .grid = grid,
          .block = 128,
          .out_words = 32 * grid};
}

TEST(Scheduler, ARandomOrderIsTheSameForTheSameSeed) {
  for (const std::uint32_t grid : {1u, 8u}) {
    std::set<Words> seen;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const sim::Settings settings{.order = sim::Order::random, .seed = seed, .host_threads = 1};
      const Result once = run_well(tickets(grid), settings);
      const Result again = run_well(tickets(grid), settings);
      EXPECT_EQ(once.out, again.out) << "seed " << seed;
      EXPECT_EQ(once.launch.warp_instructions, again.launch.warp_instructions);
      EXPECT_EQ(std::memcmp(&once.launch.counters, &again.launch.counters, sizeof(sim::Counters)),
                0);
      seen.insert(once.out);
    }
    EXPECT_EQ(seen.size(), 8u) << "grid " << grid;
  }
}

TEST(Scheduler, ARandomOrderMixesBlocks) {
  const Words out =
      run_well(tickets(8), {.order = sim::Order::random, .seed = 5, .host_threads = 1}).out;
  int switches = 0;
  for (std::size_t i = 1; i < out.size(); ++i) switches += out[i] / 4 != out[i - 1] / 4;
  EXPECT_GT(switches, 20);
}

// A long loop with lanes that leave early, and warps that wait for the block: no order takes more
// instructions than it has work.
TEST(Scheduler, TurnsCostNoInstructions) {
  for (const auto& settings : all_settings()) {
    const Result result = run_well({.body = R"(
      mov.u32 %r9, 0;
      LOOP: add.u32 %r9, %r9, 1;
      bar.sync 0;
      setp.lt.u32 %p0, %r9, 1000;
      @%p0 bra LOOP;
    )" + put,
                                    .block = 256,
                                    .out_words = 256},
                                   settings);
    EXPECT_EQ(result.out, Words(256, 1000u));
    EXPECT_EQ(result.launch.warp_instructions, 8 * (4000 + 8u));
  }
}

TEST(Scheduler, ManySmallBlocksAreQuick) {
  Result result;
  const double seconds = seconds_of([&] {
    result =
        run_well({.body = "atom.global.add.u32 %r9, [%d0], 1;\n", .grid = 100'000, .block = 1});
  });
  EXPECT_EQ(result.in[0], 100'000u);
#ifndef __SANITIZE_ADDRESS__  // under which everything takes a few times as long
  EXPECT_LT(seconds, 2.0);
#else
  static_cast<void>(seconds);
#endif
}

}  // namespace
