// Loads and stores: what is accepted and refused (as ptxas does), what faults, what is counted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/machine/wavefronts.hpp"
#include "tests/sim/support/exec_kernel.hpp"

using namespace aisp;

namespace {

using exec_kernel::Kernel;
using exec_kernel::refusal;
using exec_kernel::run;
using testing::HasSubstr;

TEST(MemoryOps, AcceptWhatPtxasAccepts) {
  for (const char* text : {
           "ld.global.b8 %d3, [%d0];",
           "ld.global.f32 %r3, [%d0];",
           "ld.global.f32 %d3, [%d0];",
           "ld.relaxed.gpu.global.b128 %w0, [%d0];",
           "ld.shared::cluster.u32 %r3, [%r1];",
           "ld.global.nc.L1::no_allocate.L2::cache_hint.v4.f32 {%f0, %f1, %f2, %f3}, [%d0], %d3;",
           "ld.global.cg.nc.u32 %r3, [%d0];",
           "ld.weak.global.ca.u32 %r3, [%d0];",
           "ld.acquire.cta.shared.u32 %r3, [%r1];",
           "ld.param::entry.u32 %r3, [in+4];",
           "ld.lu.local.u32 %r3, [%d3];",
           "ld.cs.u32 %r3, [%d0];",
           "ld.shared.cg.u32 %r3, [%r1];",
           "ld.u32.global %r3, [%d0];",
           "ld.v2.global.u32 {%r3, %r4}, [%d0];",
           "ld.volatile.global.L2::128B.u32 %r3, [%d0];",
           "ld.relaxed.cluster.shared::cluster.u32 %r3, [%d3];",
           "st.global.v2.u32 [%d0], {%r3, 5};",
           "st.global.f32 [%d0], 0f3f800000;",
           "st.global.u8 [%d0], %d3;",
           "st.wt.u32 [%d0], %r3;",
           "st.volatile.shared.v4.u32 [%r1], {%r3, %r4, %r5, %r6};",
           "st.mmio.relaxed.sys.u32 [%d0], %r3;",
           "ldu.global.v4.f32 {%f0, %f1, %f2, %f3}, [%d0];",
           "prefetch.const.tensormap [%d0];",
           "createpolicy.fractional.L2::evict_unchanged.b64 %d3;",
           "createpolicy.cvt.L2.b64 %d3, 5;",
       })
    EXPECT_EQ(refusal({.body = text}), "") << text;
}

TEST(MemoryOps, RefuseWhatPtxasRefuses) {
  for (const char* text : {
           "ld.global.v8.b32 {%r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10}, [%d0];",
           "ld.global.v4.b64 {%d3, %d4, %d5, %d6}, [%d0];",
           "ld.global.v2.b128 {%w0, %w1}, [%d0];",
           "ld.global.b32 _, [%d0];",
           "ld.global.f16 %h1, [%d0];",
           "ld.global.f16x2 %r3, [%d0];",
           "ld.global.pred %p1, [%d0];",
           "ld.mmio.relaxed.gpu.global.u32 %r3, [%d0];",
           "ld.mmio.global.u32 %r3, [%d0];",
           "ld.relaxed.global.u32 %r3, [%d0];",
           "ld.release.gpu.global.u32 %r3, [%d0];",
           "ld.acquire.gpu.local.u32 %r3, [%d3];",
           "ld.param.volatile.u32 %r3, [in];",
           "ld.shared.L1::evict_last.u32 %r3, [%r1];",
           "ld.local.L2::128B.u32 %r3, [%d3];",
           "ld.global.v2.u8 {%h1, %r3}, [%d0];",
           "ld.global.cta.u32 %r3, [%d0];",
           "ld.volatile.gpu.u32 %r3, [%d0];",
           "ld.acquire.gpu.global.ca.u32 %r3, [%d0];",
           "ld.volatile.global.L1::evict_last.u32 %r3, [%d0];",
           "ld.global.u32.u32 %r3, [%d0];",
           "ld.global.shared.u32 %r3, [%d0];",
           "ld.global.u32 %r3, [shared_bytes];",
           "ld.global.u32 %r3, [%d0], %d3;",
           "ld.global.u64 %r3, [%d0];",
           "ld.global.nosuch.u32 %r3, [%d0];",
           "st.global.v2.u32 [%d0], {%r3, _};",
           "st.ca.u32 [%d0], %r3;",
           "st.acquire.cta.u32 [%d0], %r3;",
           "st.global.L2::128B.u32 [%d0], %r3;",
           "st.const.u32 [%d0], %r3;",
           "st.param.u32 [in], %r3;",
           "st.global.nc.u32 [%d0], %r3;",
           "ldu.shared.u32 %r3, [%r1];",
           "prefetch.shared.L1 [%r1];",
           "prefetch.global.tensormap [%d0];",
           "applypriority.L2::evict_normal [%d0], 64;",
           "createpolicy.fractional.L2::evict_last.L2::evict_normal.b64 %d3, 0.5;",
       })
    EXPECT_NE(refusal({.body = text}), "") << text;
}

TEST(MemoryOps, UnmodelledInstructionsAreRefusedByName) {
  EXPECT_THAT(refusal({.body = "vadd.s32.s32.s32 %r3, %r4, %r5;"}), HasSubstr("vadd"));
}

Kernel bulk_store(const std::string& operands) {
  return {.body =
              "mad.lo.u32 %r2, %r0, 4, %r1;\nst.shared.u32 [%r2], 7;\nbar.sync 0;\n"
              "setp.ne.u32 %p0, %r0, 0;\n@%p0 bra cleared;\n"
              "mov.u64 %d3, 32;\nst.bulk.weak.shared::cta " +
              operands +
              ";\ncleared:\nbar.sync 0;\nld.shared.u32 %r9, [%r2];\n"
              "mad.wide.u32 %d9, %r0, 4, %d1;\nst.global.u32 [%d9], %r9;\n",
          .target = "sm_100a",
          .device = "b200"};
}

TEST(MemoryOps, ABulkStoreFillsSharedMemoryWithZeros) {
  const auto result = run(bulk_store("[%r1+16], %d3, 0"));
  EXPECT_EQ(result.refused + result.fault(), "");
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(result.out[i], i >= 4 && i < 12 ? 0u : 7u) << i;
  EXPECT_THAT(run(bulk_store("[%r1+12], %d3, 0")).fault(), HasSubstr("multiple of 8"));
  EXPECT_THAT(run(bulk_store("[%r1+1000], %d3, 0")).fault(), HasSubstr("out-of-bounds"));
  EXPECT_THAT(refusal(bulk_store("[%r1], %d3, 1")), HasSubstr("is 0"));
  EXPECT_THAT(refusal({.body = "st.bulk.weak.shared::cta [%r1], %d3, 0;"}), HasSubstr("sm_100"));
}

TEST(MemoryOps, FaultsNameAddressAndRule) {
  EXPECT_THAT(run({.body = "ld.global.u32 %r3, [%d0+2];"}).fault(), HasSubstr("misaligned"));
  EXPECT_THAT(run({.body = "ld.global.v4.u32 {%r3, %r4, %r5, %r6}, [%d0+8];"}).fault(),
              HasSubstr("multiple of 16"));
  EXPECT_THAT(run({.body = "ld.global.u32 %r3, [%d0+1024];"}).fault(), HasSubstr("out-of-bounds"));
  EXPECT_THAT(run({.body = "st.global.u64 [%d0+-8], %d0;"}).fault(), HasSubstr("out-of-bounds"));
  EXPECT_THAT(run({.body = "ld.shared.u32 %r3, [shared_bytes+1024];"}).fault(),
              HasSubstr("shared offset 1024"));
  EXPECT_THAT(run({.body = "st.shared.u16 [shared_bytes+1], %h1;"}).fault(),
              HasSubstr("misaligned"));
  EXPECT_THAT(run({.body = "mov.u64 %d3, 100000000; ld.local.u32 %r3, [%d3];"}).fault(),
              HasSubstr("local"));
  EXPECT_THAT(run({.body = "discard.global.L2 [%d0+64], 128;"}).fault(), HasSubstr("128"));
}

TEST(MemoryOps, OneLaneAtFaultIsNamedAmongTheOthers) {
  const auto result = run({.body = "setp.eq.u32 %p1, %r0, 13;"
                                   "mul.wide.u32 %d3, %r0, 4; add.u64 %d3, %d3, %d0;"
                                   "@%p1 add.u64 %d3, %d3, 4096;"
                                   "ld.global.u32 %r3, [%d3];"});
  EXPECT_THAT(result.fault(), HasSubstr("thread (13,0,0)"));
}

TEST(MemoryOps, AnotherBlocksSharedMemoryNeedsTheClusterSpace) {
  const char* mapped = "mapa.shared::cluster.u32 %r3, %r1, 1;";
  const Kernel own{
      .body = std::string(mapped) + "ld.shared.u32 %r4, [%r3];", .grid = 2, .cluster = 2};
  EXPECT_THAT(run(own).fault(), HasSubstr("shared::cluster"));
  const Kernel remote{.body = std::string(mapped) +
                              "ld.shared::cluster.u32 %r4, [%r3];"
                              "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;",
                      .grid = 2,
                      .cluster = 2};
  EXPECT_EQ(run(remote).fault(), "");
}

TEST(MemoryOps, BytesAndBankConflictsAreCounted) {
  const auto result = run({.body = "mul.wide.u32 %d3, %r0, 4; add.u64 %d4, %d0, %d3;"
                                   "ld.global.u32 %r3, [%d4];"
                                   "mad.lo.u32 %r4, %r0, 8, %r1;"
                                   "st.shared.u32 [%r4], %r3;"  // two words per bank
                                   "add.u64 %d5, %d1, %d3; st.global.u32 [%d5], %r3;"
                                   "st.local.u64 [local_bytes], %d3;"},
                          {.detailed = true});
  ASSERT_EQ(result.fault(), "");
  EXPECT_EQ(result.launch.counters.global_read, 128u);
  EXPECT_EQ(result.launch.counters.global_written, 128u);
  EXPECT_EQ(result.launch.counters.shared_written, 128u);
  EXPECT_EQ(result.launch.counters.local_written, 256u);
  EXPECT_EQ(result.launch.counters.bank_conflicts, 1u);
}

std::vector<std::uint32_t> strided(std::uint32_t stride) {
  std::vector<std::uint32_t> offsets;
  for (std::uint32_t lane = 0; lane < sim::lanes; ++lane) offsets.push_back(lane * stride);
  return offsets;
}

TEST(BankConflicts, StrideOfWords) {
  EXPECT_EQ(sim::extra_wavefronts(strided(4).data(), 4, sim::all_lanes), 0);
  EXPECT_EQ(sim::extra_wavefronts(strided(0).data(), 4, sim::all_lanes), 0);  // one word for all
  EXPECT_EQ(sim::extra_wavefronts(strided(8).data(), 4, sim::all_lanes), 1);
  EXPECT_EQ(sim::extra_wavefronts(strided(128).data(), 4, sim::all_lanes), 31);
  EXPECT_EQ(sim::extra_wavefronts(strided(132).data(), 4, sim::all_lanes), 0);  // padded rows
  EXPECT_EQ(sim::extra_wavefronts(strided(1).data(), 1, sim::all_lanes), 0);
  EXPECT_EQ(sim::extra_wavefronts(strided(128).data(), 4, 0x3), 1);
}

TEST(BankConflicts, WideAccessesGoInPhasesOf128Bytes) {
  EXPECT_EQ(sim::extra_wavefronts(strided(8).data(), 8, sim::all_lanes), 0);
  EXPECT_EQ(sim::extra_wavefronts(strided(16).data(), 16, sim::all_lanes), 0);
  EXPECT_EQ(sim::extra_wavefronts(strided(128).data(), 16, sim::all_lanes), 4 * 7);
  EXPECT_EQ(sim::extra_wavefronts(strided(144).data(), 16, sim::all_lanes), 0);
}

}  // namespace
