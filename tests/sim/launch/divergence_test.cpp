// Lanes that go different ways: where they meet again, and that each keeps what is its own.
#include "tests/sim/support/run_orders.hpp"

using namespace aisp;

namespace {

using namespace run_orders;

// out[tid] = %r9, out[32 + tid] = the lanes that are active at the end.
const std::string put_with_mask = "activemask.b32 %r8;\n" + put + "st.global.u32 [%d9+128], %r8;\n";

void expect_lanes(const Words& out, auto&& value) {
  EXPECT_EQ(head(out, 32), words(32, value));
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(out[32 + lane], 0xffffffffu) << lane;
}

TEST(Divergence, NestedBranchesMeetAtTheirPostDominators) {
  const Words out = in_all_orders({.body = R"(
    mov.u32 %r9, 0;
    and.b32 %r2, %r0, 1;
    setp.ne.u32 %p0, %r2, 0;
    and.b32 %r2, %r0, 4;
    setp.ne.u32 %p1, %r2, 0;
    @%p0 bra ODD;
    @%p1 bra FOUR;
    mov.u32 %r9, 1;
    bra EVEN_DONE;
    FOUR: mov.u32 %r9, 2;
    EVEN_DONE: activemask.b32 %r3;
    bra ALL;
    ODD: @!%p1 bra ODD_DONE;
    mov.u32 %r9, 3;
    ODD_DONE: activemask.b32 %r3;
    ALL: popc.b32 %r3, %r3;
    mad.lo.u32 %r9, %r3, 100, %r9;
  )" + put_with_mask});
  expect_lanes(out, [](std::uint32_t i) {
    const bool odd = i & 1, four = i & 4;
    return 1600 + (odd ? (four ? 3 : 0) : (four ? 2 : 1));
  });
}

TEST(Divergence, LoopsWithTripCountsOfTheirOwn) {
  const Words out = in_all_orders({.body = R"(
    mov.u32 %r9, 0;
    mov.u32 %r2, %r0;
    LOOP: setp.eq.u32 %p0, %r2, 0;
    @%p0 bra DONE;
    add.u32 %r9, %r9, %r2;
    sub.u32 %r2, %r2, 1;
    bra LOOP;
    DONE:
  )" + put_with_mask});
  expect_lanes(out, [](std::uint32_t i) { return i * (i + 1) / 2; });
}

TEST(Divergence, BreakAndContinueInANest) {
  const Words out = in_all_orders({.body = R"(
    mov.u32 %r9, 0;
    mov.u32 %r2, 0;
    OUTER: mov.u32 %r3, 0;
    INNER: add.u32 %r3, %r3, 1;
    setp.gt.u32 %p0, %r3, %r0;
    @%p0 bra NEXT;
    and.b32 %r4, %r3, 1;
    setp.eq.u32 %p1, %r4, 0;
    @%p1 bra INNER;
    add.u32 %r9, %r9, %r3;
    setp.lt.u32 %p2, %r3, 9;
    @%p2 bra INNER;
    NEXT: add.u32 %r2, %r2, 1;
    setp.lt.u32 %p0, %r2, 3;
    @%p0 bra OUTER;
  )" + put_with_mask});
  expect_lanes(out, [](std::uint32_t i) {
    std::uint32_t sum = 0;
    for (std::uint32_t k = 1; k <= i && k <= 9; k += 2) sum += k;
    return 3 * sum;
  });
}

TEST(Divergence, SwitchThroughATable) {
  std::string body =
      "rem.u32 %r2, %r0, 5;\nmov.u32 %r9, 7;\nsetp.ne.u32 %p0, %r0, 3;\n"
      "TABLE: .branchtargets T0, T1, T2, T3, T4;\n@%p0 brx.idx %r2, TABLE;\nbra END;\n";
  for (int i = 0; i < 5; ++i)
    body += "T" + std::to_string(i) + ": mov.u32 %r9, " + std::to_string(10 * i) + ";\nbra END;\n";
  const Words out = in_all_orders({.body = body + "END:\n" + put_with_mask});
  expect_lanes(out, [](std::uint32_t i) { return i == 3 ? 7 : i % 5 * 10; });
}

const std::string scale_functions = R"(
  .func (.param .b32 result) twice(.param .b32 value) {
    .reg .b32 %v;
    ld.param.b32 %v, [value];
    add.u32 %v, %v, %v;
    st.param.b32 [result], %v;
    ret;
  }
  .func (.param .b32 result) square(.param .b32 value) {
    .reg .b32 %v;
    ld.param.b32 %v, [value];
    mul.lo.u32 %v, %v, %v;
    st.param.b32 [result], %v;
    ret;
  }
  .func (.param .b32 result) early(.param .b32 value) {
    .reg .b32 %v; .reg .pred %q;
    ld.param.b32 %v, [value];
    st.param.b32 [result], %v;
    setp.lt.u32 %q, %v, 10;
    @%q ret;
    setp.lt.u32 %q, %v, 20;
    @%q bra MIDDLE;
    add.u32 %v, %v, 1000;
    st.param.b32 [result], %v;
    ret;
    MIDDLE: add.u32 %v, %v, 100;
    st.param.b32 [result], %v;
    ret;
  }
)";

std::string call_of(const std::string& what, const std::string& guard = "") {
  return "{ .param .b32 a; .param .b32 r;\nst.param.b32 [a], %r0;\n" + guard + " call (r), " +
         what + ";\nld.param.b32 %r9, [r];\n}\n";
}

TEST(Divergence, GuardedCall) {
  const Words out =
      in_all_orders({.body = "setp.lt.u32 %p0, %r0, 12;\n{ .param .b32 a; .param .b32 r;\n"
                             "mov.u32 %r9, 5;\nst.param.b32 [a], %r0;\nst.param.b32 [r], %r9;\n"
                             "@%p0 call (r), square, (a);\nld.param.b32 %r9, [r];\n}\n" +
                             put_with_mask,
                     .before = scale_functions});
  expect_lanes(out, [](std::uint32_t i) { return i < 12 ? i * i : 5; });
}

TEST(Divergence, IndirectCallOfSeveralTargets) {
  const Words out = in_all_orders({.body = R"(
    mov.u64 %d2, twice;
    mov.u64 %d3, square;
    mov.u64 %d4, early;
    rem.u32 %r2, %r0, 3;
    setp.eq.u32 %p0, %r2, 0;
    setp.eq.u32 %p1, %r2, 1;
    selp.b64 %d3, %d3, %d4, %p1;
    selp.b64 %d2, %d2, %d3, %p0;
    PROTO: .callprototype (.param .b32 _) _ (.param .b32 _);
  )" + call_of("%d2, (a), PROTO") + put_with_mask,
                                   .before = scale_functions});
  expect_lanes(out, [](std::uint32_t i) {
    return i % 3 == 0 ? 2 * i : i % 3 == 1 ? i * i : i < 10 ? i : i < 20 ? i + 100 : i + 1000;
  });
}

TEST(Divergence, LanesThatReturnEarlyMeetBehindTheCall) {
  const Words out =
      in_all_orders({.body = call_of("early, (a)") + put_with_mask, .before = scale_functions});
  expect_lanes(out, [](std::uint32_t i) { return i < 10 ? i : i < 20 ? i + 100 : i + 1000; });
}

// sum(n) = n + sum(n - 1): n lives in a register across the call.
const std::string sum_function = R"(
  .func (.param .b32 result) sum(.param .b32 value) {
    .reg .b32 %v, %s; .reg .pred %q;
    ld.param.b32 %v, [value];
    mov.u32 %s, 0;
    setp.eq.u32 %q, %v, 0;
    @%q bra DONE;
    sub.u32 %s, %v, 1;
    { .param .b32 a; .param .b32 r;
      st.param.b32 [a], %s;
      call (r), sum, (a);
      ld.param.b32 %s, [r]; }
    add.u32 %s, %s, %v;
    DONE: st.param.b32 [result], %s;
    ret;
  }
)";

TEST(Divergence, RecursionOfDifferentDepths) {
  const Words out =
      in_all_orders({.body = call_of("sum, (a)") + put_with_mask, .before = sum_function});
  expect_lanes(out, [](std::uint32_t i) { return i * (i + 1) / 2; });
}

// Two halves of the warp recurse on their own (no join before the call: lanes might exit) and meet
// in a shuffle at the bottom. Each lane must find its own saved registers on the way up.
TEST(Divergence, LaneGroupsThatMergeInsideARecursionKeepTheirRegisters) {
  const Words out = in_all_orders({.body = R"(
    and.b32 %r2, %r0, 1;
    setp.ne.u32 %p0, %r2, 0;
    setp.gt.u32 %p1, %r0, 1000;
    mul.lo.u32 %r3, %r0, 7;
    @%p0 bra B;
    mov.u32 %r4, 1;
    @%p1 exit;
    bra C;
    B: mov.u32 %r4, 2;
    @%p1 exit;
    C: { .param .b32 n; .param .b32 x; .param .b32 r;
      mov.u32 %r5, 2;
      st.param.b32 [n], %r5;
      mad.lo.u32 %r3, %r4, 1000, %r3;
      st.param.b32 [x], %r3;
      call (r), deep, (n, x);
      ld.param.b32 %r9, [r]; }
  )" + put_with_mask,
                                   .before = R"(
  .func (.param .b32 result) deep(.param .b32 depth, .param .b32 value) {
    .reg .b32 %n, %v, %s; .reg .pred %q;
    ld.param.b32 %n, [depth];
    ld.param.b32 %v, [value];
    setp.eq.u32 %q, %n, 0;
    @%q bra BOTTOM;
    sub.u32 %n, %n, 1;
    { .param .b32 a; .param .b32 b; .param .b32 r;
      st.param.b32 [a], %n;
      add.u32 %s, %v, 1;
      st.param.b32 [b], %s;
      call (r), deep, (a, b);
      ld.param.b32 %s, [r]; }
    mad.lo.u32 %s, %s, 3, %v;
    bra DONE;
    BOTTOM: shfl.sync.bfly.b32 %s, %v, 1, 31, 0xffffffff;
    DONE: st.param.b32 [result], %s;
    ret;
  }
)"});
  expect_lanes(out, [](std::uint32_t i) {
    const auto value = [](std::uint32_t lane) { return 7 * lane + (lane & 1 ? 2000 : 1000); };
    const std::uint32_t bottom = value(i ^ 1) + 2;
    return (bottom * 3 + value(i) + 1) * 3 + value(i);
  });
}

// A deeper activation waits at the instruction where a join of an outer one stands; waiting there
// must count as one arrival at the barrier, however often it is tried again.
TEST(Divergence, JoinOfAnOuterActivationDoesNotDisturbABarrier) {
  const Words out = in_all_orders({.body = R"(
    { .param .b32 n; .param .b32 r;
      mov.u32 %r5, 1;
      st.param.b32 [n], %r5;
      call (r), outer, (n);
      ld.param.b32 %r9, [r]; }
  )" + put,
                                   .before = R"(
  .shared .b32 flag;
  .func (.param .b32 result) outer(.param .b32 depth) {
    .reg .b32 %n, %t, %lane, %i, %s, %c; .reg .pred %q, %inner;
    ld.param.b32 %n, [depth];
    mov.u32 %t, %tid.x;
    mov.u32 %lane, %laneid;
    mov.u32 %i, 0;
    mov.u32 %s, 0;
    mov.u32 %c, 32;
    setp.eq.u32 %inner, %n, 0;
    @%inner bra SECOND;
    mov.u32 %c, 64;
    setp.ge.u32 %q, %lane, 16;
    @%q bra MEET;
    { .param .b32 a; .param .b32 r;
      sub.u32 %n, %n, 1;
      st.param.b32 [a], %n;
      call (r), outer, (a);
      ld.param.b32 %s, [r]; }
    bra MEET;
    SECOND: setp.lt.u32 %q, %t, 32;
    @%q bra MEET;
    SLOW: bar.warp.sync 0xffff;
    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, 20000;
    @%q bra SLOW;
    st.volatile.shared.b32 [flag], %i;
    MEET: barrier.sync 1, %c;
    @%inner ld.volatile.shared.b32 %s, [flag];
    st.param.b32 [result], %s;
    ret;
  }
)",
                                   .block = 64});
  for (int i = 0; i < 16; ++i) EXPECT_EQ(out[i], 20000u) << i;
}

TEST(Divergence, LanesThatExitAreNotWaitedFor) {
  const Words out = in_all_orders({.body = R"(
    setp.ge.u32 %p0, %r0, 20;
    @%p0 bra GONE;
    bar.sync 0;
    shfl.sync.down.b32 %r9, %r0, 1, 31, 0xffffffff;
    vote.sync.ballot.b32 %r8, 1, 0xffffffff;
    bar.sync 0;
    mad.wide.u32 %d9, %r0, 4, %d1;
    st.global.u32 [%d9], %r9;
    st.global.u32 [%d9+128], %r8;
    GONE:
  )"});
  for (int i = 0; i < 19; ++i) EXPECT_EQ(out[i], i + 1u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(out[32 + i], 0xfffffu);
  EXPECT_EQ(out[32 + 20], 0u);
}

TEST(Divergence, GuardedExit) {
  const Words out = in_all_orders({.body = "setp.lt.u32 %p0, %r0, 7;\n@%p0 exit;\n"
                                           "bar.sync 0;\nactivemask.b32 %r9;\n" +
                                           put,
                                   .block = 33});
  for (int i = 0; i < 33; ++i) EXPECT_EQ(out[i], i < 7 ? 0u : i < 32 ? 0xffffff80u : 1u) << i;
}

// 32 lanes with trip counts 969 .. 1000: the warp runs the loop once, not 32 times.
TEST(Divergence, CostsWhatTheLongestLaneCosts) {
  const Result result = run_well({.body = R"(
    mov.u32 %r9, 0;
    add.u32 %r2, %r0, 969;
    LOOP: add.u32 %r9, %r9, 1;
    setp.lt.u32 %p0, %r9, %r2;
    @%p0 bra LOOP;
  )" + put_with_mask});
  expect_lanes(result.out, [](std::uint32_t i) { return 969 + i; });
  EXPECT_LT(result.launch.warp_instructions, 3 * 1000 + 200u);
}

}  // namespace
