// clusterlaunchcontrol: every block of the grid is done once, by whoever begins with it or takes it
// over, in all orders; and its misuse.
#include <gmock/gmock.h>

#include "tests/sim/support/run_orders.hpp"

using namespace aisp;
using testing::Each;
using testing::HasSubstr;

namespace {

using namespace run_orders;

// Thread 0 of each block counts its place in the grid, and then those that it takes over; the last
// word counts the takings. Two blocks of a cluster get one answer, which the first one asks for.
Kernel counting(bool pair) {
  const sim::Dim3 grid{pair ? 24u : 12u, 3, 2};
  const std::string meet = pair ? "barrier.cluster.arrive;\nbarrier.cluster.wait;\n" : "";
  const std::string answer = R"(
    mbarrier.arrive.expect_tx.shared.b64 _, [%r1+16], 16;
    @%p3 bra asked;
    clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes)" +
                             std::string(pair ? ".multicast::cluster::all" : "") +
                             R"(.b128 [%r1], [%r1+16];
  asked:
    mbarrier.try_wait.parity.shared.b64 %p1, [%r1+16], %r5;
    @!%p1 bra asked;
    xor.b32 %r5, %r5, 1;
    ld.shared.b128 %w0, [%r1];
    clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %w0;
)";
  return {.body = R"(
    setp.ne.u32 %p0, %r0, 0;
    @%p0 exit;
    mov.u32 %r2, %ctaid.x;
    mov.u32 %r3, %ctaid.y;
    mov.u32 %r4, %ctaid.z;
    mov.u32 %r7, %cluster_ctarank;
    setp.ne.u32 %p3, %r7, 0;
    mbarrier.init.shared.b64 [%r1+16], 1;
    fence.mbarrier_init.release.cluster;
    mov.u32 %r5, 0;
)" + meet + R"(
  again:
    mad.lo.u32 %r6, %r4, 3, %r3;
    mad.lo.u32 %r6, %r6, )" +
                  std::to_string(grid.x) + R"(, %r2;
    mad.wide.u32 %d2, %r6, 4, %d1;
    red.global.add.u32 [%d2], 1;
)" + answer + meet +
                  R"(
    @!%p2 exit;
    clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%r2, %r3, _, _}, %w0;
    clusterlaunchcontrol.query_cancel.get_first_ctaid::z.b32.b128 %r4, %w0;
    add.u32 %r2, %r2, %r7;
    red.global.add.u32 [%d1+)" +
                  std::to_string(4 * grid.count()) + R"(], 1;
    bra again;
)",
          .target = "sm_100a",
          .grid = grid.x,
          .cluster = pair ? 2u : 1u,
          .out_words = grid.count() + 1,
          .device = pair ? "b200,sms=2" : "b200,sms=1",
          .grid_yz = grid};
}

// How many were taken over, with these settings.
std::uint32_t taken_over(const Kernel& kernel, const sim::Settings& settings) {
  Words counts = run_well(kernel, settings).out;
  const std::uint32_t taken = counts.back();
  counts.pop_back();
  EXPECT_THAT(counts, Each(1u));
  return taken;
}

TEST(LaunchControl, EveryBlockIsDoneOnceInAllOrders) {
  for (const bool pair : {false, true}) {
    const Kernel kernel = counting(pair);
    for (const sim::Settings& settings : all_settings())
      EXPECT_GT(taken_over(kernel, settings), 0u) << pair;
  }
}

TEST(LaunchControl, WhoTakesHowManyIsTheSchedulesChoice) {
  const Kernel kernel = counting(false);
  const auto taken = [&](sim::Order order, std::uint64_t seed) {
    return taken_over(kernel, {.order = order, .seed = seed, .host_threads = 1});
  };
  EXPECT_EQ(taken(sim::Order::earliest, 1), 71u);  // the first block has them all
  std::set<std::uint32_t> seen;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) seen.insert(taken(sim::Order::random, seed));
  EXPECT_GT(seen.size(), 1u);
  EXPECT_LT(*seen.begin(), 71u);  // some were refused while others were waiting
}

TEST(LaunchControl, NothingIsLeftToTakeWhereAllBlocksRun) {
  Kernel kernel = counting(false);
  kernel.grid = 1;
  kernel.grid_yz = {};
  kernel.out_words = 73;
  const Words counts = run_well(kernel, {.host_threads = 1}).out;
  EXPECT_EQ(counts.front(), 1u);
  EXPECT_EQ(counts.back(), 0u);
}

TEST(LaunchControl, MisuseHasAName) {
  const std::string ask =
      "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 ";
  const auto fault = [&](const std::string& operands) {
    return exec_kernel::run({.body = "mbarrier.init.shared.b64 [%r1+16], 1;\n"
                                     "mbarrier.arrive.expect_tx.shared.b64 _, [%r1+16], 16;\n" +
                                     ask + operands,
                             .target = "sm_100a",
                             .block = 1,
                             .device = "b200"},
                            {.host_threads = 1})
        .fault();
  };
  EXPECT_THAT(fault("[%r1+8], [%r1+16];\n"), HasSubstr("it must be a multiple of 16"));
  EXPECT_THAT(fault("[%r1+1024], [%r1+16];\n"), HasSubstr("out-of-bounds write of 16 bytes"));
  // Undefined, once the block has seen that there is nothing to be had; before that it may ask
  // again.
  const std::string wait = R"(
    asked:
      mbarrier.try_wait.parity.shared.b64 %p1, [%r1+16], 0;
      @!%p1 bra asked;
      ld.shared.b128 %w0, [%r1];
  )";
  const std::string look = "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 %p2, %w0;\n";
  const std::string first = "[%r1], [%r1+16];\n" + wait, again = ask + "[%r1], [%r1+16];\n";
  EXPECT_THAT(fault(first + look + again),
              HasSubstr("after query_cancel.is_canceled said in this block that an earlier one "
                        "failed"));
  EXPECT_EQ(fault(first + again + look), "");
  EXPECT_THAT(exec_kernel::refusal({.body = ask + "[%r1], [%r1+16];\n"}), HasSubstr("sm_100"));
}

}  // namespace
