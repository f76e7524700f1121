// Statements of PTX 1.0 to 4.0 that a later version spells in another way: both give the same bits,
// and nvJitLink compiles both to the same code. It has no opinion on PTX before 3.1, which ptxas
// and the driver still compile: there the spelling of today is ptxas 13's code for the old one.
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/sim/oracle/oracle.hpp"
#include "tests/sim/support/exec_kernel.hpp"

using namespace aisp;
using testing::HasSubstr;

namespace {

struct Old {
  const char *version, *target;
};
constexpr Old v10{"1.0", "sm_10"}, v13{"1.3", "sm_13"}, v14{"1.4", "sm_12"},
    v14_mapped{"1.4", "sm_10, map_f64_to_f32"}, v20{"2.0", "sm_20"}, v40{"4.0", "sm_13"},
    v31{"3.1", "sm_35"}, now{"8.0", "sm_90"};

// Operands at in + 32 * lane: three of f32 and two of f64; results at out + 32 * lane.
std::string text_of(const Old& old, const std::string& statement) {
  const bool has_list = std::string_view(old.version) >= "1.4";
  const bool doubles = statement.find("%e") != std::string::npos;
  return std::string(".version ") + old.version + "\n.target " + old.target + "\n" +
         (std::string_view(old.version) >= "2.3" ? ".address_size 64\n" : "") + ".entry kernel" +
         (has_list ? " (.param .u64 in, .param .u64 out)\n{\n"
                   : "\n{\n.param .u64 in;\n.param .u64 out;\n") +
         R"(.reg .f32 %f<9>;
.reg .f64 %e<9>;
.reg .u32 %r<9>;
.reg .u64 %d<9>;
.reg .u16 %h<9>;
.reg .pred %p<9>;
ld.param.u64 %d0, [in];
ld.param.u64 %d1, [out];
cvt.u32.u16 %r0, %tid.x;
mul.wide.u32 %d2, %r0, 32;
add.u64 %d0, %d0, %d2;
add.u64 %d1, %d1, %d2;
ld.global.f32 %f1, [%d0+0];
ld.global.f32 %f2, [%d0+4];
ld.global.f32 %f3, [%d0+8];
mov.f32 %f4, %f1;
)" + (doubles ? "ld.global.f64 %e1, [%d0+16];\nld.global.f64 %e2, [%d0+24];\n" : "") +
         statement + "\nst.global.f32 [%d1+0], %f4;\n" +
         (statement.find("%e4") != std::string::npos ? "st.global.f64 [%d1+8], %e4;\n" : "") +
         "exit;\n}\n";
}

// Numbers of all kinds: half of the f32 ones are near the smallest normal one, or below it.
std::vector<std::uint32_t> operands() {
  std::mt19937 random(11);
  constexpr std::uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0x00000001, 0x807fffff, 0x00800000, 0x3f800000, 0x7f7fffff};
  std::vector<std::uint32_t> words(256);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto bits = static_cast<std::uint32_t>(random());
    const std::uint32_t sign = bits & 0x80000000u, rest = bits & 0x7fffff;
    const std::uint32_t field = i % 8 >= 4     ? 0x380 + random() % 0x80
                                : bits % 4 < 2 ? random() % 3
                                               : 0x60 + random() % 0x40;
    words[i] = i % 8 >= 4      ? (i % 2 == 0 ? bits : sign | field << 20 | (rest & 0xfffff))
               : bits % 9 == 0 ? special[random() % 10]
                               : sign | field << 23 | rest;
  }
  // In the first lanes all three are subnormal: what flushes them takes them for equal.
  for (std::uint32_t lane = 0; lane < 8; ++lane) {
    words[lane * 8] = 16 * (lane + 1);
    words[lane * 8 + 1] = 1;
    words[lane * 8 + 2] = 0x80000005;
  }
  return words;
}

exec_kernel::Result run(const Old& old, const std::string& statement) {
  return exec_kernel::run({.in = operands(), .out_words = 256, .module = text_of(old, statement)});
}

// The machine code of the kernel.
std::string code_of(const std::vector<char>& cubin) {
  Elf64_Ehdr header;
  std::memcpy(&header, cubin.data(), sizeof header);
  const auto section = [&](std::size_t index) {
    Elf64_Shdr found;
    std::memcpy(&found, cubin.data() + header.e_shoff + index * sizeof found, sizeof found);
    return found;
  };
  const char* names = cubin.data() + section(header.e_shstrndx).sh_offset;
  for (std::size_t i = 0; i < header.e_shnum; ++i)
    if (const Elf64_Shdr at = section(i); std::string_view(names + at.sh_name) == ".text.kernel")
      return {cubin.data() + at.sh_offset, at.sh_size};
  return "";
}

bool is_judged(const Old& old) {
  return std::string_view(old.version) >= "3.1" && oracle::JitLink::get().available();
}

void expect_same(const Old& old, const std::string& before, const std::string& after) {
  SCOPED_TRACE(std::string(old.version) + " " + old.target + ": " + before);
  const auto want = run(now, after), got = run(old, before);
  ASSERT_EQ(want.refused + want.fault(), "");
  ASSERT_EQ(got.refused + got.fault(), "");
  EXPECT_EQ(got.out, want.out);
  if (!is_judged(old)) return;
  const auto& jit = oracle::JitLink::get();
  const auto accepted = jit.judge(text_of(old, before), "sm_90"),
             modern = jit.judge(text_of(now, after), "sm_90");
  ASSERT_TRUE(accepted.accepted) << accepted.log;
  ASSERT_TRUE(modern.accepted) << modern.log;
  EXPECT_EQ(code_of(accepted.cubin), code_of(modern.cubin));
}

void expect_refused(const Old& old, const std::string& statement, const std::string& why) {
  SCOPED_TRACE(std::string(old.version) + " " + old.target + ": " + statement);
  EXPECT_THAT(run(old, statement).refused, HasSubstr(why));
  if (is_judged(old)) {
    EXPECT_FALSE(oracle::JitLink::get().judge(text_of(old, statement), "sm_90").accepted);
  }
}

TEST(OldPtx, MadWithoutRoundingIsFused) {
  for (const Old& old : {v10, v13, v14, v14_mapped, v40}) {
    expect_same(old, "mad.f32 %f4, %f1, %f2, %f3;", "fma.rn.ftz.f32 %f4, %f1, %f2, %f3;");
    expect_same(old, "mad.sat.f32 %f4, %f1, %f2, %f3;", "fma.rn.ftz.sat.f32 %f4, %f1, %f2, %f3;");
  }
  for (const Old& old : {v20, v31})
    expect_same(old, "mad.f32 %f4, %f1, %f2, %f3;", "fma.rn.f32 %f4, %f1, %f2, %f3;");
  for (const Old& old : {Old{"3.2", "sm_20"}, Old{"7.0", "sm_50"}})
    expect_refused(old, "mad.f32 %f4, %f1, %f2, %f3;", "needs a rounding modifier");
  expect_refused(v31, "fma.f32 %f4, %f1, %f2, %f3;", "needs a rounding modifier");
}

TEST(OldPtx, FunctionsWithoutModifiersAreApproximate) {
  for (const std::string name : {"rcp", "sqrt", "rsqrt", "sin", "cos", "ex2", "lg2"}) {
    for (const Old& old : {v10, v13})
      expect_same(old, name + ".f32 %f4, %f1;", name + ".approx.ftz.f32 %f4, %f1;");
    expect_refused(v14, name + ".f32 %f4, %f1;", "needs .approx");
    expect_same(v14, name + ".approx.f32 %f4, %f1;", name + ".approx.ftz.f32 %f4, %f1;");
  }
  expect_same(v10, "div.f32 %f4, %f1, %f2;", "div.approx.ftz.f32 %f4, %f1, %f2;");
  expect_refused(v14, "div.f32 %f4, %f1, %f2;", "needs a rounding modifier");
  expect_same(v14, "div.full.f32 %f4, %f1, %f2;", "div.full.ftz.f32 %f4, %f1, %f2;");
}

TEST(OldPtx, DoublesAreRoundedToNearest) {
  expect_same(v13, "mad.f64 %e4, %e1, %e2, %e1;", "fma.rn.f64 %e4, %e1, %e2, %e1;");
  expect_same(v13, "div.f64 %e4, %e1, %e2;", "div.rn.f64 %e4, %e1, %e2;");
  expect_same(v13, "sqrt.f64 %e4, %e1;", "sqrt.rn.f64 %e4, %e1;");
  expect_same(v13, "rsqrt.f64 %e4, %e1;", "rsqrt.approx.f64 %e4, %e1;");
  expect_refused(v14, "div.f64 %e4, %e1, %e2;", "needs a rounding modifier");
  expect_refused(v14, "mad.f64 %e4, %e1, %e2, %e1;", "needs a rounding modifier");
  const auto mapped = run(v14_mapped, "add.f64 %e4, %e1, %e2;");
  EXPECT_THAT(mapped.refused, HasSubstr("map_f64_to_f32 is not modelled"));
}

// Of sm_1x: every instruction of f32, whether it is written or not.
TEST(OldPtx, SinglesAreFlushed) {
  struct Pair {
    std::string before, after;
  };
  const Pair pairs[] = {
      {"add.f32 %f4, %f1, %f2;", "add.ftz.f32 %f4, %f1, %f2;"},
      {"add.sat.f32 %f4, %f1, %f2;", "add.ftz.sat.f32 %f4, %f1, %f2;"},
      {"sub.f32 %f4, %f1, %f2;", "sub.ftz.f32 %f4, %f1, %f2;"},
      {"mul.rz.f32 %f4, %f1, %f2;", "mul.rz.ftz.f32 %f4, %f1, %f2;"},
      {"min.f32 %f4, %f1, %f2;", "min.ftz.f32 %f4, %f1, %f2;"},
      {"max.f32 %f4, %f1, %f2;", "max.ftz.f32 %f4, %f1, %f2;"},
      {"abs.f32 %f4, %f1;", "abs.ftz.f32 %f4, %f1;"},
      {"neg.f32 %f4, %f1;", "neg.ftz.f32 %f4, %f1;"},
      {"slct.f32.f32 %f4, %f1, %f2, %f3;", "slct.ftz.f32.f32 %f4, %f1, %f2, %f3;"},
      {"set.gt.f32.f32 %f4, %f1, %f2;", "set.gt.ftz.f32.f32 %f4, %f1, %f2;"},
      {"setp.eq.f32 %p1, %f1, %f2;\nselp.f32 %f4, %f1, %f3, %p1;",
       "setp.eq.ftz.f32 %p1, %f1, %f2;\nselp.f32 %f4, %f1, %f3, %p1;"},
      {"cvt.f32.f32 %f4, %f1;", "cvt.ftz.f32.f32 %f4, %f1;"},
      {"cvt.sat.f32.f32 %f4, %f1;", "cvt.ftz.sat.f32.f32 %f4, %f1;"},
      {"cvt.rpi.f32.f32 %f4, %f1;", "cvt.rpi.ftz.f32.f32 %f4, %f1;"},
      {"cvt.rpi.s32.f32 %r1, %f1;\nmov.b32 %f4, %r1;",
       "cvt.rpi.ftz.s32.f32 %r1, %f1;\nmov.b32 %f4, %r1;"},
  };
  for (const auto& [before, after] : pairs) {
    for (const Old& old : {v10, v14, v40}) expect_same(old, before, after);
    expect_same(v20, before, before);
  }
}

// Until PTX 1.4 not in conversions from and to 64 bits.
TEST(OldPtx, ConversionsOfWideTypes) {
  expect_same(v14, "cvt.f64.f32 %e4, %f1;", "cvt.f64.f32 %e4, %f1;");
  expect_same(v40, "cvt.f64.f32 %e4, %f1;", "cvt.ftz.f64.f32 %e4, %f1;");
  expect_same(v14, "cvt.rn.f32.f64 %f4, %e1;", "cvt.rn.f32.f64 %f4, %e1;");
  expect_same(v40, "cvt.rn.f32.f64 %f4, %e1;", "cvt.rn.ftz.f32.f64 %f4, %e1;");
}

TEST(OldPtx, DebugInformationIsSkipped) {
  std::string text = text_of(v14, "add.f32 %f4, %f1, %f2;");
  text += R"(
	@@DWARF .section .debug_info, "",@progbits
	@@DWARF .byte	0x34, 0x04, 0x00
	@@DWARF .4byte	.debug_abbrev
	@@DWARF .quad	$LDWend_kernel
)";
  const auto result = exec_kernel::run({.in = operands(), .out_words = 256, .module = text});
  EXPECT_EQ(result.refused + result.fault(), "");
  EXPECT_EQ(result.out, run(v14, "add.f32 %f4, %f1, %f2;").out);
}

}  // namespace
