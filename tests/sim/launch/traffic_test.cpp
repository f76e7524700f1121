// What a simulated run shows in place of a time: sectors and wavefronts of kernels small enough to
// count by hand.
#include "sim/watch/traffic.hpp"

#include "tests/sim/support/run_orders.hpp"

using namespace aisp;

namespace {

using namespace run_orders;

struct Seen {
  std::uint64_t requested = 0, distinct = 0, wavefronts = 0, conflicts = 0;
  bool operator==(const Seen&) const = default;
};
void PrintTo(const Seen& seen, std::ostream* out) {
  *out << seen.requested << " bytes requested, " << seen.distinct << " distinct, "
       << seen.wavefronts << " wavefronts, " << seen.conflicts << " of them conflicts";
}

Seen seen_in(Kernel kernel) {
  sim::watch::Traffic traffic;
  kernel.observer = &traffic;
  run_well(kernel, {.host_threads = 1});
  return {traffic.requested_bytes(), traffic.distinct_bytes(), traffic.wavefronts(),
          traffic.bank_conflicts()};
}

// One access of a warp to global memory at lanes that lie `stride` bytes apart.
Seen of_stride(int stride, const std::string& access) {
  return seen_in({.body = "mad.wide.u32 %d2, %r0, " + std::to_string(stride) + ", %d0;\n" + access,
                  .in = Words(4096)});
}

TEST(Traffic, CountsSectorsThatAWarpAsksFor) {
  const std::string load = "ld.global.u32 %r2, [%d2];\n";
  EXPECT_EQ(of_stride(4, load), (Seen{128, 128}));
  EXPECT_EQ(of_stride(0, load), (Seen{32, 32})) << "all lanes want the same";
  EXPECT_EQ(of_stride(32, load), (Seen{1024, 1024})) << "a sector for each lane";
  EXPECT_EQ(of_stride(64, load), (Seen{1024, 1024})) << "every other sector";
  EXPECT_EQ(of_stride(16, "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d2];\n"), (Seen{512, 512}));
  EXPECT_EQ(of_stride(4, "st.global.u32 [%d2], %r0;\n"), (Seen{128, 128}));
  EXPECT_EQ(of_stride(4, "red.global.add.u32 [%d2], 1;\n"), (Seen{128, 128}));
  EXPECT_EQ(of_stride(4, "setp.lt.u32 %p0, %r0, 9;\n@%p0 ld.global.u32 %r2, [%d2];\n"),
            (Seen{64, 64}))
      << "nine lanes of 4 bytes lie in two sectors";
}

// No cache answers: what is asked for twice counts twice, but the bytes are the same ones.
TEST(Traffic, KnowsTheSameBytesAgain) {
  EXPECT_EQ(of_stride(4, "ld.global.u32 %r2, [%d2];\nld.global.u32 %r3, [%d2];\n"),
            (Seen{256, 128}));
  EXPECT_EQ(seen_in({.body = "ld.global.u32 %r2, [%d0];\n", .grid = 5, .block = 64}),
            (Seen{320, 32}));
}

TEST(Traffic, CountsCopiesOfLanesAsOneRequest) {
  const Seen seen = seen_in({.body = R"(
    mad.lo.u32 %r2, %r0, 16, %r1;
    mad.wide.u32 %d2, %r0, 16, %d0;
    cp.async.cg.shared.global [%r2], [%d2], 16;
    cp.async.wait_all;
  )"});
  EXPECT_EQ(seen, (Seen{512, 512})) << "two lanes share a sector";
}

TEST(Traffic, ABulkCopyCrossesL2OnceForAllItsBlocks) {
  const auto body = [](const std::string& copy) {
    return R"(
    mov.u32 %r8, %cluster_ctarank;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 mbarrier.init.shared.b64 [%r1], 1;
    fence.mbarrier_init.release.cluster;
    @%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 256;
    barrier.cluster.arrive;
    barrier.cluster.wait;
    add.u32 %r3, %r1, 128;
    mov.b16 %h1, 3;
    setp.eq.and.u32 %p2, %r8, 0, %p0;
)" + copy + R"(
    WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;
    @!%p1 bra WAIT;
)";
  };
  const Kernel each{.body = body("@%p0 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx"
                                 "::bytes [%r3], [%d0], 256, [%r1];"),
                    .grid = 2,
                    .cluster = 2};
  EXPECT_EQ(seen_in(each), (Seen{512, 256}));
  Kernel multicast = each;
  multicast.body = body(
      "@%p2 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%r3], [%d0], 256, [%r1], %h1;");
  EXPECT_EQ(seen_in(multicast), (Seen{256, 256}));
}

TEST(Traffic, CountsWavefrontsOfSharedMemory) {
  const auto at = [](int stride, const std::string& access) {
    return seen_in({.body = "mov.u32 %r1, wide;\nmad.lo.u32 %r2, %r0, " + std::to_string(stride) +
                            ", %r1;\n" + access,
                    .before = ".shared .align 128 .b8 wide[16384];\n"});
  };
  EXPECT_EQ(at(4, "ld.shared.u32 %r3, [%r2];\n"), (Seen{0, 0, 1, 0}));
  EXPECT_EQ(at(128, "ld.shared.u32 %r3, [%r2];\n"), (Seen{0, 0, 32, 31}));
  EXPECT_EQ(at(8, "st.shared.u32 [%r2], %r0;\n"), (Seen{0, 0, 2, 1}));
  EXPECT_EQ(at(16, "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];\n"), (Seen{0, 0, 4, 0}));
  EXPECT_EQ(
      at(16, "setp.lt.u32 %p0, %r0, 9;\n@%p0 ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];\n"),
      (Seen{0, 0, 2, 0}))
      << "nine lanes of 16 bytes take two of the four";
}

TEST(Traffic, LeavesOutWhatNeverReachesL2) {
  EXPECT_EQ(
      seen_in({.body = "st.local.u32 [local_bytes], %r0;\nld.local.u32 %r3, [local_bytes];\n"}),
      (Seen{}));
}

}  // namespace
