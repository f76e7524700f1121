// Kernels that stand still: the report says who waits for what, and what is missing.
#include "tests/sim/support/run_orders.hpp"

using namespace aisp;

namespace {

using namespace run_orders;

// The report, which must be one of a deadlock in every order.
std::string report_of(const Kernel& kernel) {
  std::string text;
  for (const auto& settings : all_settings()) {
    const Result result = exec_kernel::run(kernel, settings);
    EXPECT_EQ(result.refused, "");
    if (!result.launch.fault) {
      ADD_FAILURE() << "no fault";
      return "";
    }
    EXPECT_EQ(result.launch.fault->kind, sim::FaultKind::deadlock);
    text = result.fault();
  }
  EXPECT_NE(text.find("kernel kernel: deadlock: nothing can go on"), std::string::npos) << text;
  return text;
}

void expect_says(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << text;
}

TEST(Deadlock, OneWarpSkipsABarrierWithACount) {
  const std::string text = report_of({.body = R"(
    setp.lt.u32 %p0, %r0, 64;
    @%p0 bra END;
    bar.sync 3, 64;
    END: bar.sync 0;
  )",
                                      .block = 96});
  expect_says(text, {"warp 0, warp 1 wait for barrier 0, phase 1: 64 of 96 threads have arrived",
                     "warp 2 waits for barrier 3, phase 1: 32 of 64 threads have arrived",
                     "bar.sync 3, 64;", "block (0,0,0)"});
}

TEST(Deadlock, LanesOfAWarpAtDifferentBarriers) {
  const std::string text = report_of({.body = R"(
    setp.lt.u32 %p0, %r0, 8;
    @%p0 bra LOW;
    bar.sync 1;
    bra END;
    LOW: bar.sync 2;
    END:
  )"});
  expect_says(text, {"warp 0 lanes 0-7 waits for lanes 8-31 of the warp",
                     "warp 0 lanes 8-31 waits for lanes 0-7 of the warp", "LOW: bar.sync 2;"});
}

TEST(Deadlock, LanesThatNeverComeToAShuffle) {
  const std::string text = report_of({.body = R"(
    setp.eq.u32 %p0, %r0, 5;
    @%p0 bra ALONE;
    shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xffffffff;
    bra END;
    ALONE: shfl.sync.bfly.b32 %r2, %r0, 1, 31, 0xffffffff;
    END:
  )"});
  expect_says(text, {"lanes 5 waits for lanes 0-4,6-31", "lanes 0-4,6-31 waits for lanes 5"});
}

// One arrival of two, 128 bytes of 256.
const std::string half_a_barrier = R"(
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra INITIALISED;
    mbarrier.init.shared.b64 [%r1+64], 2;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r1+64], 256;
    mbarrier.complete_tx.shared.b64 [%r1+64], 128;
    INITIALISED: bar.sync 0;
)";

TEST(Deadlock, AnMBarrierThatMissesArrivalsAndBytes) {
  const std::string text = report_of({.body = half_a_barrier + R"(
    WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r1+64], 0;
    @!%p1 bra WAIT;
  )",
                                      .grid = 3,
                                      .block = 64});
  expect_says(text, {"warp 0, warp 1 wait for the phase of parity 0 of the mbarrier at shared "
                     "offset 64: 1 of 2 arrivals and 128 bytes missing in it; PTX line",
                     "mbarrier.try_wait"});
}

// Phases 0 and 1 are over when the wait for phase 0 begins.
TEST(Deadlock, AnMBarrierWhoseAwaitedPhaseHasPassed) {
  const std::string text = report_of({.body = R"(
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra ARRIVED;
    mbarrier.init.shared.b64 [%r1+64], 1;
    mbarrier.arrive.shared.b64 _, [%r1+64];
    mbarrier.arrive.shared.b64 _, [%r1+64];
    ARRIVED: bar.sync 0;
    WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r1+64], 0;
    @!%p1 bra WAIT;
  )"});
  expect_says(text, {"waits for the phase of parity 0 of the mbarrier at shared offset 64: 1 of 1 "
                     "arrivals and 0 bytes missing in it, and nothing has arrived",
                     "or the awaited phase has already passed"});
}

TEST(Deadlock, AnMBarrierPolledBetweenSleeps) {
  const std::string text = report_of({.body = half_a_barrier + R"(
    WAIT: nanosleep.u32 64;
    mbarrier.test_wait.parity.shared.b64 %p1, [%r1+64], 0;
    @!%p1 bra WAIT;
  )"});
  expect_says(text, {"1 of 2 arrivals and 128 bytes missing"});
}

// The first block stands still, the others finish first.
TEST(Deadlock, OneClusterOfManyIsStuck) {
  const std::string text = report_of({.body = half_a_barrier + R"(
    mov.u32 %r2, %ctaid.x;
    setp.ne.u32 %p2, %r2, 0;
    mov.u32 %r3, 0;
    @%p2 bra WORK;
    WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r1+64], 0;
    @!%p1 bra WAIT;
    WORK: add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 300000;
    @%p1 bra WORK;
    atom.global.add.u32 %r4, [%d0], 1;
  )",
                                      .grid = 6});
  expect_says(text, {"block (0,0,0)", "1 of 2 arrivals"});
}

// It polls for a while, gives up, and then computes for longer than a turn: that is no deadlock.
TEST(Deadlock, APollerThatGivesUpIsNoneYet) {
  const Words out = in_all_orders({.body = half_a_barrier + R"(
    mov.u32 %r9, 0;
    WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r1+64], 0;
    add.u32 %r9, %r9, 1;
    setp.gt.u32 %p2, %r9, 60;
    @%p2 bra WORK;
    @!%p1 bra WAIT;
    WORK: add.u32 %r9, %r9, 1;
    setp.lt.u32 %p1, %r9, 1000000;
    @%p1 bra WORK;
  )" + put});
  EXPECT_EQ(head(out, 32), Words(32, 1'000'000u));
}

// A block waits with try_wait and looks at a flag that another one sets after a long time.
TEST(Deadlock, NoneWhileAnotherClusterMayHelp) {
  const Words out = in_all_orders({.body = half_a_barrier + R"(
    mov.u32 %r2, %ctaid.x;
    setp.ne.u32 %p2, %r2, 0;
    mov.u32 %r9, 0;
    @%p2 bra WORK;
    WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r1+64], 0;
    ld.relaxed.gpu.global.u32 %r9, [%d0];
    setp.eq.u32 %p2, %r9, 0;
    @%p2 bra WAIT;
    bra DONE;
    WORK: add.u32 %r9, %r9, 1;
    setp.lt.u32 %p1, %r9, 2000000;
    @%p1 bra WORK;
    st.relaxed.gpu.global.u32 [%d0], %r9;
    bra END;
    DONE:)" + put + "END:\n",
                                   .grid = 2});
  EXPECT_EQ(head(out, 32), Words(32, 2'000'000u));
}

TEST(Deadlock, APartnerThatDoesNotComeToTheClusterBarrier) {
  const std::string text = report_of({.body = R"(
    mov.u32 %r2, %cluster_ctarank;
    setp.eq.u32 %p0, %r2, 1;
    @%p0 bra OTHER;
    barrier.cluster.arrive.aligned;
    barrier.cluster.wait.aligned;
    bra END;
    OTHER: bar.sync 1, 64;
    END:
  )",
                                      .grid = 4,
                                      .cluster = 2});
  expect_says(text,
              {"block 0 of the cluster warp 0 waits for the cluster barrier, phase 1: 32 of 64",
               "block 1 of the cluster warp 0 waits for barrier 1, phase 1: 32 of 64",
               "barrier.cluster.wait.aligned;"});
}

}  // namespace
