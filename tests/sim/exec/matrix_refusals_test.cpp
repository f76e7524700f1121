// Which matrix instructions decode and which are refused: as ptxas for sm_90a does.
#include <gtest/gtest.h>

#include <string>

#include "sim/exec/host_level.hpp"
#include "sim/program/program.hpp"

using namespace aisp;

namespace {

std::string refusal_of(const std::string& statement, const std::string& target = "sm_90a") {
  const std::string text = ".version 9.0\n.target " + target + R"(
.address_size 64
.visible .entry k() {
.reg .b32 r<20>; .reg .f32 f<20>; .reg .f64 d<8>; .reg .b64 q<4>; .reg .pred p;
)" + statement + "\nret;\n}\n";
  try {
    decode(
        sim::ptx::parse(text), sim::opcode_table(),
        [](const sim::VariablePlacement&) { return std::uint64_t{0}; },
        [](std::uint64_t, const void*, std::size_t) {});
    return "";
  } catch (const sim::ptx::Refused& refused) {
    return refused.what();
  }
}

constexpr const char* accepted[] = {
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r2}, {f0,f1,f2,f3};",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {r4,r5,r6,r7}, {r0,r1}, {r2}, {r4,r5,r6,r7};",
    "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r2}, "
    "{0f00000000,0f00000000,0f00000000,0f00000000};",
    "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 {r4,r5,r6,r7}, {r0,r1}, {r2}, "
    "{r4,r5,r6,r7};",
    "mma.sync.aligned.m16n8k128.row.col.xor.popc.s32.b1.b1.s32 {r4,r5,r6,r7}, {r0,r1}, {r2}, "
    "{r4,r5,r6,r7};",
    "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {d0,d1}, {d2}, {d3}, {d0,d1};",
    "wmma.mma.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32.xor.popc {r0,r1}, {r2}, {r3}, {r0,r1};",
    "wmma.load.a.sync.aligned.m16n16k16.row.bf16 {r0,r1,r2,r3}, [q0];",
    "ldmatrix.sync.aligned.trans.m8n8.x2.b16 {r0,r1}, [q0];",
    "ldmatrix.sync.aligned.m8n8.x2.shared.trans.b16 {r0,r1}, [q0];",
    "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8.satfinite {r0,r1,r2,r3}, q0, q1, p;",
    "wgmma.mma_async.sync.aligned.m64n8k32.satfinite.s32.s8.u8 {r0,r1,r2,r3}, q0, q1, p;",
    "wgmma.mma_async.sync.aligned.m64n8k256.and.popc.s32.b1.b1 {r0,r1,r2,r3}, q0, q1, p;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0,f1,f2,f3}, q0, q1, !p, 1, -1, 0, 1;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0,f1,f2,f3}, 5, q1, 1, 1, 1, 0, 0;",
    "wgmma.wait_group.sync.aligned 8;",
};

TEST(MatrixForms, AreAccepted) {
  for (const char* statement : accepted) EXPECT_EQ(refusal_of(statement), "") << statement;
}

struct Refused {
  const char* statement;
  const char* why;  // in the message
};
constexpr Refused refused[] = {
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f16 {f0,f1,f2,f3}, {r0,r1}, {r2}, {r4,r5};",
     "accumulators"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, r2, {f0,f1,f2,f3};",
     "vector of 1"},
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1,r2}, {r2}, "
     "{f0,f1,f2,f3};",
     "needs 2 registers, 3 are given"},
    {"mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r2}, "
     "{f0,f1,f2,f3};",
     "no m16n8k32 for .f16"},
    {"mma.sync.aligned.m16n8k8.col.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r2}, "
     "{f0,f1,f2,f3};",
     "layouts"},
    {"mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32 {r4,r5,r6,r7}, {r0,r1}, {r2}, "
     "{r4,r5,r6,r7};",
     "popc"},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r2,r3}, "
     "{f0,f1,f2,f3}, r4, 4;",
     "selector is 4"},
    {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f0,f1,f2,f3}, {r0,r1}, {r2,r3}, "
     "{f0,f1,f2,f3}, r4, r5;",
     "constant"},
    {"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {f0,f1,f2,f3}, "
     "{r0,r1,r2,r3}, {r4,r5}, {f0,f1,f2,f3};",
     "sm_100"},
    {"wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32 {r0,r1}, {r2}, {r3}, {r0,r1};",
     "no product of these types"},
    {"wmma.load.a.sync.aligned.col.m8n8k32.s4 {r0}, [q0];", "is .row"},
    {"wmma.load.c.sync.aligned.row.m16n16k16.bf16 {r0,r1,r2,r3}, [q0];", "cannot be .bf16"},
    {"ldmatrix.sync.aligned.m8n8.b16 {r0}, [q0];", "number of matrices"},
    {"ldmatrix.sync.aligned.m8n8.x1.b16 r0, [q0];", "vector of 1"},
    {"ldmatrix.sync.aligned.m8n8.x2.global.b16 {r0,r1}, [q0];", "shared memory"},
    {"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {r0,r1}, [r2];", "sm_100"},
    {"movmatrix.sync.aligned.m8n8.b16 r0, r1;", "trans"},
    {"wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.u8 {r0,r1,r2,r3}, q0, q1, p;", "shape"},
    {"wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.xor.popc {r0,r1,r2,r3}, q0, q1, p;",
     "and.popc"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0,f1,f2,f3}, q0, q1, p, 0, 1, 0, 0;",
     "-1 or 1"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f0,f1,f2,f3}, q0, q1, p;", "operands"},
    {"wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {f0,f1,f2,f3}, q0, q1, p, 1, 1, 0, 0;",
     "operands"},
    {"wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.f16 {f0,f1,f2,f3}, q0, q1, p, 1, 1, 0, 0;",
     "no wgmma of .bf16 and .f16"},
    {"wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.u8 {r0,r1,r2,r3}, q0, q1, r4, 1, p;",
     "selector is 1"},
    {"wgmma.wait_group.sync.aligned r1;", "constant"},
};

TEST(MatrixForms, AreRefusedWithTheReason) {
  for (const Refused& one : refused)
    EXPECT_NE(refusal_of(one.statement).find(one.why), std::string::npos)
        << one.statement << "\n  gave: " << refusal_of(one.statement);
}

TEST(MatrixForms, NeedTheirArchitecture) {
  EXPECT_NE(refusal_of("wgmma.fence.sync.aligned;", "sm_90").find("sm_90a"), std::string::npos);
  EXPECT_NE(
      refusal_of("stmatrix.sync.aligned.m8n8.x1.shared.b16 [r9], {r0};", "sm_80").find("sm_90"),
      std::string::npos);
  EXPECT_NE(refusal_of("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {d0,d1,d2,d3}, {d4,d5}, "
                       "{d6}, {d0,d1,d2,d3};",
                       "sm_80")
                .find("sm_90"),
            std::string::npos);
}

}  // namespace
