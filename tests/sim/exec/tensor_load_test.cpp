// tcgen05.ld is under way until tcgen05.wait::ld: tensor memory is read at a moment of the
// scheduler's choice, and only an instruction that names a result of the load waits for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/sim/support/run_orders.hpp"

using namespace aisp;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

using namespace run_orders;

const std::string wait_ld = "tcgen05.wait::ld.sync.aligned;\n";
const std::string wait_st = "tcgen05.wait::st.sync.aligned;\n";
const std::string put_x = "st.global.u32 [%d5], %x0;\nst.global.u32 [%d5+128], %x1;\n";

std::string load(int reg, int column) {
  return "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x" + std::to_string(reg) + "}, [%base+" +
         std::to_string(column) + "];\n";
}
// Both columns become `value` plus the lane, and have when this is over.
std::string fill(int value) {
  return "add.u32 %v, %r0, " + std::to_string(value) +
         ";\ntcgen05.st.sync.aligned.32x32b.x2.b32 [%base], {%v, %v};\n" + wait_st;
}

// One warp with 32 columns, of which the first two hold 100 plus the lane; frees them by itself
// unless the body does. %x<9>: registers to load into; put out are two words of each lane.
Kernel with_columns(const std::string& body, bool frees = true) {
  Kernel kernel{.body =
                    ".reg .b32 %x<9>, %base, %v;\nmad.wide.u32 %d5, %r0, 4, %d1;\n"
                    "mov.u32 %x0, 0;\nmov.u32 %x1, 0;\n"
                    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;\n"
                    "ld.shared.u32 %base, [%r1];\n" +
                    fill(100) + body +
                    (frees ? "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 32;\n" : ""),
                .target = "sm_100a"};
  kernel.device = "b200";
  return kernel;
}

Words lanes_plus(std::uint32_t first, std::uint32_t second) {
  return words(64, [&](std::uint32_t i) { return i % 32 + (i < 32 ? first : second); });
}

Words in_order(const Kernel& kernel, sim::Order order, std::uint64_t seed = 1) {
  return run_well(kernel, {.order = order, .seed = seed, .host_threads = 1}).out;
}

TEST(TensorLoad, AResultThatIsNamedIsWaitedFor) {
  const std::string use =
      "add.u32 %x0, %x0, 1;\nmov.b64 %d6, {%x1, %x0};\nshr.u64 %d6, %d6, 32;\n"
      "cvt.u32.u64 %x0, %d6;\n";
  EXPECT_EQ(in_all_orders(with_columns(load(0, 0) + load(1, 1) + use + put_x)),
            lanes_plus(101, 100));
}

TEST(TensorLoad, CellsAreReadAtAnyTimeBeforeTheWait) {
  // Long enough for the scheduler to have a choice.
  const std::string delay =
      "mov.u32 %v, 0;\nlater:\nadd.u32 %v, %v, 1;\nsetp.lt.u32 %p0, %v, 200;\n@%p0 bra later;\n";
  const Kernel careless =
      with_columns(load(0, 0) + load(1, 1) + delay + fill(200) + wait_ld + put_x);
  EXPECT_EQ(in_order(careless, sim::Order::earliest), lanes_plus(100, 100));
  EXPECT_EQ(in_order(careless, sim::Order::latest), lanes_plus(200, 200));
  std::set<Words> seen;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    seen.insert(in_order(careless, sim::Order::random, seed));
  EXPECT_GT(seen.size(), 1u);
  EXPECT_EQ(in_all_orders(with_columns(load(0, 0) + load(1, 1) + wait_ld + fill(200) + put_x)),
            lanes_plus(100, 100));
}

// The first of two is named before the cells change: that says nothing of the second.
TEST(TensorLoad, OneLoadIsWaitedForAlone) {
  const Kernel kernel = with_columns(load(0, 0) + load(1, 1) + "add.u32 %x0, %x0, 0;\n" +
                                     fill(200) + wait_ld + put_x);
  EXPECT_EQ(in_order(kernel, sim::Order::earliest), lanes_plus(100, 100));
  EXPECT_EQ(in_order(kernel, sim::Order::latest), lanes_plus(100, 200));
}

// A device does not stop there. Which values come is the hazard checker's business.
TEST(TensorLoad, GoesOnWhenItsColumnsAreFreedBeforeTheWait) {
  const std::string free = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %base, 32;\n";
  const Kernel careless = with_columns(load(0, 0) + free + wait_ld + put_x, false);
  EXPECT_EQ(in_all_orders(careless),
            words(64, [](std::uint32_t i) { return i < 32 ? 100 + i : 0; }));
  in_all_orders(with_columns(load(0, 0) + wait_ld + free + put_x, false));
  // No instruction waits at all: done when the block has ended.
  in_all_orders(with_columns(load(8, 0)));
}

// Eight blocks of one SM, which have all of its columns in turn: a late load may find
// those of another block, and reads nothing there.
TEST(TensorLoad, DoesNotReadColumnsOfAnotherBlock) {
  const std::string alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 512;\n",
                    free = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 0, 512;\n";
  Kernel kernel{.body = ".reg .b32 %x<1>, %base;\n" + alloc +
                        "ld.shared.u32 %base, [%r1];\n"
                        "tcgen05.st.sync.aligned.32x32b.x1.b32 [%base], {%r0};\n" +
                        wait_st + load(0, 0) + free + alloc + load(0, 0) + free,
                .target = "sm_100a"};
  kernel.device = "b200,sms=1";
  kernel.grid = 8;
  in_all_orders(kernel);
}

// Whoever writes the register comes after the load, and another register never lies in its place.
TEST(TensorLoad, NothingIsOverwrittenByALateLoad) {
  EXPECT_EQ(in_all_orders(with_columns(load(0, 0) + "mov.u32 %x0, %r0;\n" + wait_ld + put_x)),
            words(64, [](std::uint32_t i) { return i < 32 ? i : 0; }));
  std::string others;
  for (int i = 2; i < 8; ++i)
    others += load(8, 0) + "add.u32 %x" + std::to_string(i) + ", %r0, " + std::to_string(i) + ";\n";
  others += wait_ld;
  for (int i = 2; i < 8; ++i) others += "add.u32 %x0, %x0, %x" + std::to_string(i) + ";\n";
  EXPECT_EQ(in_all_orders(with_columns(others + put_x)),
            words(64, [](std::uint32_t i) { return i < 32 ? 6 * i + 27 : 0; }));
}

// A function that calls itself keeps its registers with the activation that loaded them.
TEST(TensorLoad, ArrivesBeforeTheRegistersOfARecursiveFunctionChangeOwners) {
  Kernel kernel = with_columns(
      "{\n.param .b32 depth;\n.param .b32 at;\n.param .b32 sum;\nst.param.b32 [depth], 2;\n"
      "st.param.b32 [at], %base;\ncall.uni (sum), nested, (depth, at);\n"
      "ld.param.b32 %x0, [sum];\n}\n" +
      put_x);
  kernel.before = R"(
.func (.param .b32 sum) nested(.param .b32 depth, .param .b32 at) {
  .reg .b32 %y, %n, %at, %below;
  .reg .pred %last;
  ld.param.b32 %n, [depth];
  ld.param.b32 %at, [at];
  add.u32 %at, %at, %n;
  tcgen05.st.sync.aligned.32x32b.x1.b32 [%at], {%n};
  tcgen05.wait::st.sync.aligned;
  tcgen05.ld.sync.aligned.32x32b.x1.b32 {%y}, [%at];
  sub.u32 %at, %at, %n;
  mov.u32 %below, 0;
  setp.eq.u32 %last, %n, 0;
  @%last bra done;
  sub.u32 %n, %n, 1;
  {
    .param .b32 next;
    .param .b32 where;
    .param .b32 result;
    st.param.b32 [next], %n;
    st.param.b32 [where], %at;
    call.uni (result), nested, (next, where);
    ld.param.b32 %below, [result];
  }
done:
  mad.lo.u32 %below, %below, 10, %y;
  st.param.b32 [sum], %below;
  ret;
}
)";
  EXPECT_EQ(in_all_orders(kernel), words(64, [](std::uint32_t i) { return i < 32 ? 12 : 0; }));
}

}  // namespace
