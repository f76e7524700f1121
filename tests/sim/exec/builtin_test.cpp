// Functions the simulator provides to kernels: printf, assert, malloc, free and what sets the
// conditions of graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "sim/exec/control/builtin.hpp"
#include "tests/sim/support/exec_kernel.hpp"

using namespace aisp;

namespace {

using exec_kernel::run;
using testing::HasSubstr;

// Arguments laid out as nvcc lays them out.
class Arguments {
 public:
  template <class T>
  Arguments& add(T value) {
    bytes_.resize((bytes_.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(bytes_.data() + bytes_.size() - sizeof(T), &value, sizeof(T));
    return *this;
  }
  std::string print(const std::string& format, int expected) const {
    const sim::FormatSource source{
        .argument =
            [&](std::uint32_t offset, std::uint32_t size) {
              std::uint64_t value = 0;
              std::memcpy(&value, bytes_.data() + offset, size);
              return value;
            },
        .text = [](std::uint64_t address) { return reinterpret_cast<const char*>(address); }};
    const sim::Formatted formatted = sim::format_device(format, source);
    EXPECT_EQ(formatted.arguments, expected) << format;
    return formatted.text;
  }

 private:
  std::vector<std::byte> bytes_;
};

TEST(DevicePrintf, Conversions) {
  EXPECT_EQ(Arguments().print("plain 100%%\n", 0), "plain 100%\n");
  EXPECT_EQ(Arguments().add(-5).add(7u).print("%d|%5u|", 2), "-5|    7|");
  EXPECT_EQ(Arguments().add(255).add(255).add(8).print("%x %#X %o", 3), "ff 0XFF 10");
  EXPECT_EQ(Arguments().add(1).add(1.5).print("%d %f", 2), "1 1.500000");
  EXPECT_EQ(Arguments().add(3.14159).add(2.0).print("%.2f %g", 2), "3.14 2");
  EXPECT_EQ(Arguments().add(-1ll).add(1ull << 40).print("%lld %llu", 2), "-1 1099511627776");
  EXPECT_EQ(Arguments().add(-1l).add(std::size_t{9}).print("%ld %zu", 2), "-1 9");
  EXPECT_EQ(Arguments().add(65601).add(300).print("%hd %hhu", 2), "65 44");
  EXPECT_EQ(Arguments().add(65).add(std::uint64_t{0x1f}).print("%c %p", 2), "A 0x1f");
  EXPECT_EQ(Arguments().add(6).add(42).print("[%*d]", 2), "[    42]");
  EXPECT_EQ(Arguments().add(1.0).print("%a", 1), "0x1p+0");
  EXPECT_EQ(Arguments().add(42).print("[%-6d][%q]", 1), "[42    ][%q]");
}

TEST(DevicePrintf, Strings) {
  const char* word = "hello";
  EXPECT_EQ(Arguments().add(word).print("<%8s>", 1), "<   hello>");
  EXPECT_EQ(Arguments().add(word).print("<%.2s>", 1), "<he>");
  EXPECT_EQ(Arguments().add(std::uint64_t{0}).print("%s", 1), "(null)");
}

const char* const declarations =
    ".extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);\n"
    ".extern .func __assertfail(.param .b64 message, .param .b64 file, .param .b32 line, "
    ".param .b64 function, .param .b64 size);\n"
    ".extern .func (.param .b64 result) malloc(.param .b64 size);\n"
    ".extern .func free(.param .b64 pointer);\n"
    ".global .align 1 .b8 format[12] = {116, 61, 37, 100, 32, 120, 61, 37, 103, 10, 0, 0};\n"
    ".global .align 1 .b8 message[4] = {97, 60, 98, 0};\n"
    ".global .align 1 .b8 file[4] = {102, 46, 99, 0};\n"
    ".global .align 1 .b8 function[2] = {103, 0};\n";

TEST(Builtins, VprintfPrintsPerLaneAndCountsArguments) {
  const auto result =
      run({.body = "st.local.u32 [local_bytes], %r0; mov.f64 %e0, 0d3fe0000000000000;"
                   "st.local.f64 [local_bytes+8], %e0;"
                   "mov.u64 %d3, local_bytes; cvta.local.u64 %d3, %d3; mov.u64 %d4, format;"
                   "{ .param .b64 f; .param .b64 a; .param .b32 n;"
                   "st.param.b64 [f], %d4; st.param.b64 [a], %d3;"
                   "call.uni (n), vprintf, (f, a); ld.param.b32 %r3, [n]; }"
                   "mul.wide.u32 %d5, %r0, 4; add.u64 %d5, %d5, %d1; st.global.u32 [%d5], %r3;",
           .before = declarations,
           .block = 3});
  EXPECT_EQ(result.refused + result.fault(), "");
  EXPECT_EQ(result.launch.printed, "t=0 x=0.5\nt=1 x=0.5\nt=2 x=0.5\n");
  EXPECT_THAT(std::vector(result.out.begin(), result.out.begin() + 3), testing::Each(2u));
}

TEST(Builtins, AssertSaysWhatCudaSays) {
  const auto result = run({.body = "setp.ne.u32 %p1, %r0, 5; @%p1 bra end;"
                                   "mov.u64 %d3, message; mov.u64 %d4, file; mov.u64 %d5, function;"
                                   "{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 g;"
                                   ".param .b64 s; st.param.b64 [m], %d3; st.param.b64 [f], %d4;"
                                   "st.param.b32 [l], 12; st.param.b64 [g], %d5;"
                                   "st.param.b64 [s], 1;"
                                   "call.uni __assertfail, (m, f, l, g, s); } end:",
                           .before = declarations,
                           .grid = 1});
  EXPECT_EQ(result.refused, "");
  ASSERT_TRUE(result.launch.fault.has_value());
  EXPECT_EQ(result.launch.fault->kind, sim::FaultKind::assertion);
  EXPECT_THAT(result.fault(),
              HasSubstr("f.c:12: g: block: [0,0,0], thread: [5,0,0] Assertion `a<b` failed."));
}

std::string heap_kernel(const std::string& then) {
  return "{ .param .b64 s; .param .b64 p; st.param.b64 [s], 64;"
         "call.uni (p), malloc, (s); ld.param.b64 %d3, [p]; }"
         "st.u32 [%d3], %r0; ld.u32 %r3, [%d3];"
         "mul.wide.u32 %d5, %r0, 4; add.u64 %d5, %d5, %d1; st.global.u32 [%d5], %r3;"
         "{ .param .b64 p; st.param.b64 [p], %d3; call.uni free, (p); }" +
         then;
}

TEST(Builtins, MallocGivesEveryLaneItsOwn) {
  const auto result = run({.body = heap_kernel(""), .before = declarations});
  EXPECT_EQ(result.refused + result.fault(), "");
  for (std::uint32_t lane = 0; lane < 32; ++lane) EXPECT_EQ(result.out[lane], lane);
}

TEST(Builtins, WhatWasFreedIsGone) {
  EXPECT_THAT(run({.body = heap_kernel("ld.u32 %r3, [%d3];"), .before = declarations}).fault(),
              HasSubstr("use after free"));
  EXPECT_THAT(run({.body = heap_kernel("{ .param .b64 p; st.param.b64 [p], %d3;"
                                       "call.uni free, (p); }"),
                   .before = declarations})
                  .fault(),
              HasSubstr("free of what malloc has not given"));
}

TEST(Builtins, AConditionNeedsAGraph) {
  const auto result =
      run({.body = "{ .param .b64 h; .param .b32 v; st.param.b64 [h], 77; st.param.b32 [v], 1;"
                   "call.uni cudaGraphSetConditional, (h, v); }",
           .before = ".extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 v);\n",
           .block = 1});
  EXPECT_EQ(result.refused, "");
  EXPECT_THAT(result.fault(),
              HasSubstr("cudaGraphSetConditional of handle 77, which no graph has"));
}

}  // namespace
