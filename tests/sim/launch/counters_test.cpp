// What --stats shows: exact counts on kernels small enough to count by hand.
#include "tests/sim/support/run_orders.hpp"

using namespace aisp;

namespace {

using namespace run_orders;
using sim::OpClass;

sim::Counters counters_of(const Kernel& kernel) {
  return run_well(kernel, {.host_threads = 1, .detailed = true}).launch.counters;
}

std::uint64_t of(const sim::Counters& counters, OpClass kind) {
  return counters.by_class[static_cast<int>(kind)];
}

// Every kernel here begins with two loads of parameters and two moves, and ends with a return.
constexpr std::uint64_t loads_before = 2, moves_before = 2, branches_after = 1;

TEST(Counters, InstructionsByClass) {
  const sim::Counters counters = counters_of({.body = R"(
    add.u32 %r2, %r0, 1;
    mul.lo.u32 %r2, %r2, 3;
    and.b32 %r3, %r2, 7;
    setp.eq.u32 %p0, %r3, 0;
    cvt.rn.f32.u32 %f0, %r2;
    fma.rn.f32 %f0, %f0, %f0, %f0;
    cvt.f64.f32 %e0, %f0;
    add.f64 %e0, %e0, %e0;
    sqrt.approx.f32 %f1, %f0;
    st.shared.u32 [%r1], %r2;
    ld.shared.u32 %r4, [%r1];
    atom.shared.add.u32 %r4, [%r1], 1;
    shfl.sync.bfly.b32 %r5, %r4, 1, 31, 0xffffffff;
    bar.sync 0;
    membar.cta;
    @%p0 bra NEXT;
    NEXT:
  )",
                                              .grid = 3,
                                              .block = 64});
  constexpr std::uint64_t warps = 6;
  EXPECT_EQ(of(counters, OpClass::integer), 2 * warps);
  EXPECT_EQ(of(counters, OpClass::logic), warps);
  EXPECT_EQ(of(counters, OpClass::compare), warps);
  EXPECT_EQ(of(counters, OpClass::convert), 2 * warps);
  EXPECT_EQ(of(counters, OpClass::float32), warps);
  EXPECT_EQ(of(counters, OpClass::float64), warps);
  EXPECT_EQ(of(counters, OpClass::special), warps);
  EXPECT_EQ(of(counters, OpClass::store), warps);
  EXPECT_EQ(of(counters, OpClass::load), (1 + loads_before) * warps);
  EXPECT_EQ(of(counters, OpClass::move), moves_before * warps);
  EXPECT_EQ(of(counters, OpClass::atomic), warps);
  EXPECT_EQ(of(counters, OpClass::shuffle), warps);
  EXPECT_EQ(of(counters, OpClass::barrier), warps);
  EXPECT_EQ(of(counters, OpClass::fence), warps);
  EXPECT_EQ(of(counters, OpClass::branch), (1 + branches_after) * warps);
}

TEST(Counters, BytesThatLanesMove) {
  const sim::Counters counters = counters_of({.body = R"(
    mad.wide.u32 %d2, %r0, 16, %d0;
    mad.wide.u32 %d3, %r0, 4, %d1;
    setp.lt.u32 %p0, %r0, 10;
    ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%d2];
    @%p0 ld.global.u8 %r2, [%d2];
    st.global.u32 [%d3], %r3;
    mad.lo.u32 %r6, %r0, 8, %r1;
    st.shared.v2.u32 [%r6], {%r2, %r3};
    @%p0 ld.shared.u16 %h0, [%r6];
    st.local.u32 [local_bytes], %r2;
    ld.local.u32 %r3, [local_bytes];
    atom.global.add.u32 %r2, [%d3], 1;
    mad.lo.u32 %r6, %r0, 4, %r1;
    mad.wide.u32 %d2, %r0, 4, %d0;
    cp.async.ca.shared.global [%r6], [%d2], 4;
    cp.async.wait_all;
  )"});
  EXPECT_EQ(counters.global_read, 32 * 16 + 10 + 32 * 4u);
  EXPECT_EQ(counters.global_written, 2 * 32 * 4u);
  EXPECT_EQ(counters.shared_written, 32 * 8u);
  EXPECT_EQ(counters.shared_read, 10 * 2u);
  EXPECT_EQ(counters.local_read, 32 * 4u);
  EXPECT_EQ(counters.local_written, 32 * 4u);
  EXPECT_EQ(counters.async_bytes, 32 * 4u);
}

// Extra wavefronts of one access at shared addresses that lie `stride` bytes apart.
std::uint64_t of_stride(int stride, const std::string& access) {
  return counters_of({.body = "mov.u32 %r1, wide;\nmad.lo.u32 %r2, %r0, " + std::to_string(stride) +
                              ", %r1;\n" + access,
                      .before = ".shared .align 128 .b8 wide[16384];\n"})
      .bank_conflicts;
}

TEST(Counters, BankConflicts) {
  const std::string one = "ld.shared.u32 %r3, [%r2];\n";
  EXPECT_EQ(of_stride(0, one), 0u);   // broadcast
  EXPECT_EQ(of_stride(4, one), 0u);   // a row
  EXPECT_EQ(of_stride(8, one), 1u);   // every other bank twice
  EXPECT_EQ(of_stride(12, one), 0u);  // odd strides meet every bank
  EXPECT_EQ(of_stride(64, one), 15u);
  EXPECT_EQ(of_stride(128, one), 31u);  // a column
  EXPECT_EQ(of_stride(132, one), 0u);   // a padded one
  EXPECT_EQ(of_stride(1, "ld.shared.u8 %r3, [%r2];\n"), 0u);
  EXPECT_EQ(of_stride(8, "ld.shared.v2.u32 {%r3, %r4}, [%r2];\n"), 0u);
  EXPECT_EQ(of_stride(16, "ld.shared.v2.u32 {%r3, %r4}, [%r2];\n"), 2u);
  EXPECT_EQ(of_stride(16, "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];\n"), 0u);
  EXPECT_EQ(of_stride(128, "ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r2];\n"), 28u);
  EXPECT_EQ(of_stride(8, "st.shared.u32 [%r2], %r0;\n"), 1u);
}

TEST(Counters, TensorOperations) {
  const sim::Counters counters = counters_of({.body = R"(
    mov.u32 %r2, 0;
    mov.f32 %f0, 0f00000000;
    mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
      {%f1, %f2, %f3, %f4}, {%r2, %r2, %r2, %r2}, {%r2, %r2}, {%f0, %f0, %f0, %f0};
  )",
                                              .block = 64});
  EXPECT_EQ(counters.tensor_operations, 2 * 2 * 16 * 8 * 16u);
  EXPECT_EQ(of(counters, OpClass::tensor), 2u);
}

// Of four warps three wait at each barrier, the last to come does not.
TEST(Counters, BarrierWaits) {
  EXPECT_EQ(counters_of({.body = "bar.sync 0;\nbar.sync 0;\n", .block = 128}).barrier_waits, 6u);
  EXPECT_EQ(counters_of({.body = "bar.sync 0;\nbar.sync 0;\n", .block = 32}).barrier_waits, 0u);
}

}  // namespace
