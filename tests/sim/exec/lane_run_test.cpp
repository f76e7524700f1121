// Loads and stores of all lanes at evenly spaced addresses, which take a way of their own: the same
// values and the same faults as lane by lane.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/support/exec_kernel.hpp"

using namespace aisp;

namespace {

using exec_kernel::run;
using testing::HasSubstr;

std::vector<std::uint32_t> numbers() {
  std::vector<std::uint32_t> values(256);
  for (std::uint32_t i = 0; i < 256; ++i) values[i] = i * 0x9e3779b9u;
  return values;
}

// %d3 = %d0 + 4 * (start + lane * step) and the same in %r3 for shared memory; %d4 = own word out.
std::string addresses(int start, std::int64_t step) {
  return "cvt.u64.u32 %d2, %r0; mul.lo.s64 %d2, %d2, " + std::to_string(step) +
         "; add.s64 %d2, %d2, " + std::to_string(4 * start) +
         "; add.s64 %d3, %d0, %d2; cvt.u32.u64 %r3, %d2; add.u32 %r3, %r3, %r1;"
         " mad.wide.u32 %d4, %r0, 4, %d1; ";
}

// Odd, so it has an inverse modulo any power of two: Newton's iteration doubles its right bits.
std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int i = 0; i < 6; ++i) x *= 2 - odd * x;
  return x;
}

constexpr const char* put = " st.global.u32 [%d4], %r5;";

TEST(LaneRun, LoadsAndStoresGiveWhatLanesGive) {
  const auto in = numbers();
  for (const int step : {0, 1, 2, 7, -1, -7}) {
    const int start = step < 0 ? 220 : 3;
    std::vector<std::uint32_t> loaded(64), stored(256), bytes(64);
    for (int lane = 0; lane < 32; ++lane) {
      const auto at = static_cast<std::size_t>(start + lane * step);
      loaded[lane] = in[at];
      bytes[lane] = static_cast<std::uint32_t>(static_cast<std::int8_t>(in[at]));
      stored[at] = static_cast<std::uint32_t>(lane);
    }
    const std::string where = addresses(start, 4 * step);
    for (const char* load : {"ld.global.u32", "ld.u32"})
      EXPECT_EQ(run({.body = where + load + " %r5, [%d3];" + put, .in = in}).out, loaded) << step;
    EXPECT_EQ(run({.body = where + "ld.global.s8 %r5, [%d3];" + put, .in = in}).out, bytes);
    for (const char* store : {"st.global.u32", "st.u32"})
      EXPECT_EQ(
          run({.body = where + store + " [%d3], %r0;", .in = std::vector<std::uint32_t>(256)}).in,
          stored)
          << step;
    // Through shared memory: what a lane finds is what the last one stored there.
    std::vector<std::uint32_t> found(64);
    for (int lane = 0; lane < 32; ++lane) found[lane] = stored[start + lane * step];
    EXPECT_EQ(run({.body = where +
                           "st.shared.u32 [%r3], %r0; bar.sync 0;"
                           " ld.shared.u32 %r5, [%r3];" +
                           put})
                  .out,
              found)
        << step;
  }
}

TEST(LaneRun, OneLaneOutsideIsAFault) {
  EXPECT_EQ(run({.body = addresses(224, 4) + "ld.global.u32 %r5, [%d3];"}).fault(), "");
  for (const auto& [start, step] : {std::pair{225, 4}, {30, -4}, {2, 40}})
    for (const char* access :
         {"ld.global.u32 %r5, [%d3];", "st.global.u32 [%d3], %r0;", "ld.u32 %r5, [%d3];",
          "ld.shared.u32 %r5, [%r3];", "st.shared.u32 [%r3], %r0;"})
      EXPECT_THAT(run({.body = addresses(start, step) + access}).fault(),
                  HasSubstr("out-of-bounds"))
          << access << ' ' << start << ' ' << step;
  EXPECT_THAT(run({.body = addresses(0, 6) + "ld.global.u32 %r5, [%d3];"}).fault(),
              HasSubstr("misaligned"));
  EXPECT_THAT(run({.body = addresses(0, 6) + "ld.shared.u32 %r5, [%r3];"}).fault(),
              HasSubstr("misaligned"));
}

// Steps that go round the address space and end where they began.
TEST(LaneRun, EndsInsideAreNotEnough) {
  const auto step = static_cast<std::int64_t>(4 * inverse(31));
  EXPECT_THAT(run({.body = addresses(8, step) + "ld.global.u32 %r5, [%d3];"}).fault(),
              HasSubstr("out-of-bounds"));
  EXPECT_NE(run({.body = addresses(8, step) + "ld.shared.u32 %r5, [%r3];"}).fault(), "");
}

}  // namespace
