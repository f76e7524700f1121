// Copies and products whose moment the scheduler chooses: a kernel that waits gives the same
// numbers in all orders, one that forgets gives wrong ones in `latest`.
#include "tests/sim/support/run_orders.hpp"

using namespace aisp;

namespace {

using namespace run_orders;

constexpr sim::Settings earliest{.order = sim::Order::earliest, .host_threads = 1};
constexpr sim::Settings latest{.order = sim::Order::latest, .host_threads = 1};

Words counted(std::size_t count) {
  return words(count, [](std::uint32_t i) { return i + 1; });
}

// What the kernel gives with its wait, in all orders, and without it: right when copies are done at
// once, wrong when they are done late.
void expect_forgotten_wait_found(const std::string& before, const std::string& wait,
                                 const std::string& after, Kernel kernel, const Words& right) {
  kernel.body = before + wait + after;
  EXPECT_EQ(head(in_all_orders(kernel), right.size()), right);
  kernel.body = before + after;
  EXPECT_EQ(head(run_well(kernel, earliest).out, right.size()), right);
  EXPECT_NE(head(run_well(kernel, latest).out, right.size()), right);
}

const std::string own_word = "mad.wide.u32 %d2, %r0, 4, %d0;\nmad.lo.u32 %r2, %r0, 4, %r1;\n";

TEST(Async, ForgottenWaitForACopy) {
  expect_forgotten_wait_found(
      own_word + "cp.async.ca.shared.global [%r2], [%d2], 4;\ncp.async.commit_group;\n",
      "cp.async.wait_group 0;\n", "ld.shared.u32 %r9, [%r2];\n" + put,
      {.body = "", .in = counted(32)}, counted(32));
}

// The older of two groups is waited for, both are read.
TEST(Async, WaitForTooFewGroups) {
  const std::string before = own_word + R"(
    cp.async.ca.shared.global [%r2], [%d2], 4;
    cp.async.commit_group;
    cp.async.ca.shared.global [%r2+128], [%d2+128], 4;
    cp.async.commit_group;
  )";
  const std::string after =
      "ld.shared.u32 %r9, [%r2];\nld.shared.u32 %r3, [%r2+128];\nadd.u32 %r9, %r9, %r3;\n" + put;
  const Words right = words(32, [](std::uint32_t i) { return 2 * i + 34; });
  Kernel kernel{.body = before + "cp.async.wait_group 0;\n" + after, .in = counted(64)};
  EXPECT_EQ(head(in_all_orders(kernel), 32), right);
  kernel.body = before + "cp.async.wait_group 1;\n" + after;
  EXPECT_EQ(head(run_well(kernel, latest).out, 32), counted(32));
}

const std::string one_bulk_load = R"(
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra ISSUED;
    mbarrier.init.shared.b64 [%r1], 1;
    fence.mbarrier_init.release.cluster;
    mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 128;
    add.u32 %r3, %r1, 128;
    cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r3], [%d0], 128, [%r1];
    ISSUED: bar.sync 0;
    mad.lo.u32 %r2, %r0, 4, %r1;
)";

TEST(Async, ForgottenWaitForAnMBarrier) {
  expect_forgotten_wait_found(
      one_bulk_load, "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0;\n@!%p1 bra WAIT;\n",
      "ld.shared.u32 %r9, [%r2+128];\n" + put, {.body = "", .in = counted(32)}, counted(32));
}

// The phase that has not begun counts as complete: a parity of 1 waits for nothing.
TEST(Async, WaitForTheWrongPhase) {
  const Kernel kernel{
      .body = one_bulk_load +
              "WAIT: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 1;\n@!%p1 bra WAIT;\n"
              "ld.shared.u32 %r9, [%r2+128];\n" +
              put,
      .in = counted(32)};
  EXPECT_NE(head(run_well(kernel, latest).out, 32), counted(32));
  const Result early = exec_kernel::run(kernel, earliest);  // ... or, once it has begun, for ever
  EXPECT_NE(early.fault().find("parity 1 of the mbarrier"), std::string::npos) << early.fault();
}

// Shared memory is written again before the store has read it.
TEST(Async, ReuseBeforeABulkStoreHasRead) {
  const std::string before = R"(
    mad.lo.u32 %r2, %r0, 4, %r1;
    add.u32 %r9, %r0, 1;
    st.shared.u32 [%r2], %r9;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.ne.u32 %p0, %r0, 0;
    @%p0 bra ISSUED;
    cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 128;
    cp.async.bulk.commit_group;
  )";
  expect_forgotten_wait_found(before, "cp.async.bulk.wait_group.read 0;\n",
                              "ISSUED: bar.sync 0;\nst.shared.u32 [%r2], 0;\n", {.body = ""},
                              counted(32));
}

// 64 x 8 x 16 of ones in f16, no swizzle: every element is 16.
TEST(Async, ForgottenWaitForAProduct) {
  std::string fill = R"(
    mov.u32 %r2, %r1;
    mad.lo.u32 %r2, %r0, 16, %r2;
    mov.u32 %r3, 0x3c003c00;
    st.shared.v4.u32 [%r2], {%r3, %r3, %r3, %r3};
    st.shared.v4.u32 [%r2+2048], {%r3, %r3, %r3, %r3};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    shr.u32 %r4, %r1, 4;
    and.b32 %r4, %r4, 0x3fff;
    cvt.u64.u32 %d2, %r4;
    or.b64 %d2, %d2, 0x0000000800080000;
    add.u64 %d3, %d2, 128;
    mov.f32 %f0, 0f00000000; mov.f32 %f1, %f0; mov.f32 %f2, %f0; mov.f32 %f3, %f0;
    wgmma.fence.sync.aligned;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %d2, %d3, 1, 1, 1, 0, 0;
    wgmma.commit_group.sync.aligned;
  )";
  expect_forgotten_wait_found(
      fill, "wgmma.wait_group.sync.aligned 0;\n",
      "mad.wide.u32 %d9, %r0, 4, %d1;\nst.global.f32 [%d9], %f0;\n",
      {.body = "", .before = "", .block = 128, .out_words = 128, .dynamic = 8192},
      Words(128, 0x41800000u));
}

// Nobody waits, but a lane spins until the bytes are there: copies end by themselves.
TEST(Async, CopiesEndWhileOthersSpin) {
  const Words out = in_all_orders({.body = one_bulk_load + R"(
    SPIN: ld.volatile.shared.u32 %r9, [%r2+128];
    setp.eq.u32 %p1, %r9, 0;
    @%p1 bra SPIN;
  )" + put,
                                   .in = counted(32)});
  EXPECT_EQ(head(out, 32), counted(32));
}

// What is under way when a block ends is still done.
TEST(Async, StoresOutliveTheirBlock) {
  const Words out = in_all_orders({.body = R"(
    mad.lo.u32 %r2, %r0, 4, %r1;
    add.u32 %r9, %r0, 1;
    st.shared.u32 [%r2], %r9;
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.eq.u32 %p0, %r0, 0;
    @%p0 cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 128;
    @%p0 cp.async.bulk.commit_group;
  )"});
  EXPECT_EQ(head(out, 32), counted(32));
}

}  // namespace
