// The parser's grammar against nvJitLink's: what it accepts is parsed, what it calls a syntax error
// is refused, and constant expressions have the values it gives them.
#include "tests/sim/oracle/oracle.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/module.hpp"

using namespace aisp;

namespace {

const std::string header = ".version 9.0\n.target sm_90a\n.address_size 64\n";

// A statement in the body of a kernel with registers, arrays and functions to speak of.
std::string in_body(std::string_view statement) {
  return header + R"(
.global .u32 g[16];
.func f0() { ret; }
.func f1(.param .b32 a) { ret; }
.func (.param .b32 o) f2(.param .b32 a) { ret; }
.visible .entry k(.param .u64 in) {
.reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .f64 %fd<9>; .reg .pred %p<9>;
.reg .b128 %q<2>; .reg .v4 .f32 vv; .shared .align 16 .b8 sm[64];
)" + std::string(statement) +
         "\nret;\n}\n";
}

std::string refusal_of(const std::string& text) {
  try {
    sim::ptx::parse(text);
    return "";
  } catch (const sim::ptx::Refused& refused) {
    return refused.what();
  }
}

constexpr std::array good_statements = {
    "mov.u32 %r1, (1+2)*3;",
    "mov.u32 %r1, WARP_SZ-1;",
    "mov.u32 %r1, 1?2:3;",
    "mov.u32 %r1, (.s64)5;",
    "mov.u32 %r1, 0b101;",
    "mov.u32 %r1, 017U;",
    "mov.f32 %f1, .5;",
    "mov.f32 %f1, 5.;",
    "mov.f32 %f1, -1.0e+5;",
    "mov.f32 %f1, 1.5+2.5;",
    "mov.f32 %f1, (0f3F800000);",
    "mov.f64 %fd1, -0d3FF0000000000000;",
    "mov.f32 %f1, vv.x;",
    "mov.v4.f32 vv, vv;",
    "mov.u32 %r1, %tid.x;",
    "mov.u32 %r1, %tid .x;",
    "mov.u32 %r1, %lanemask_lt;",
    "ld.global.u32 %r1, [g+4*2];",
    "ld.global.u32 %r1, [%rd1 + -8];",
    "ld.global.u32 %r1, g[1+1];",
    "ld .global .u32 %r1, [g];",
    "mov.u64 %rd1, g+4;",
    "mov.u64 %rd1, g[1];",
    "mov.u64 %rd1, f0;",
    "@ %p1 mov.u32 %r1, 2;",
    "@! %p1 mov.u32 %r1, 2;",
    "L: M: @%p1 bra L;",
    "add: bra add;",
    "A: { A: bra A; }",
    "{ { {} } }",
    "mov.b64{%r1, _}, %rd1;",
    "mov.b64 %rd1, {%r1, 5};",
    "mov.b128 %q1, {%rd1, %rd2};",
    "setp.lt.and.u32 %p1|%p2, %r1, %r2, !%p3;",
    "setp.lt.u32 _|%p2, %r1, %r2;",
    "shfl.sync.idx.b32 %r1 | %p1, %r2, 0, 31, -1;",
    "vadd.s32.s32.s32 %r1.b0, %r2.b0, %r3.h1, %r4;",
    "tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, %rd2, {%f5, %f6}];",
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r1], [%rd1, {%r2, 3}], [%r4+8];",
    "call f0;",
    "call (), f0, ();",
    "{ .param .b32 p; call.uni f1, (p); }",
    "{ .param .b32 p, o; call (o), f2, (p); }",
    "{ .param .b32 o; call (_), f2, (5); }",
    "{ P: .callprototype _ (); call %rd1, P; }",
    "{ .param .b32 p, o; P : .callprototype (.param .b32 _) _ (.param .b32 _); "
    "call (o), %rd1, (p), P; }",
    "{ P: .callprototype ()_ (.param .b32 a) .noreturn; }",
    "{ T: .calltargets f0; call %rd1, (), T; }",
    "{ T: .branchtargets A, B; A: B: brx.idx %r1, T; }",
    "{ T: .branchtargets A<2>; A0: A1: brx.idx %r1, T; }",
    ".pragma \"nounroll\", \"used_bytes_mask 3\";",
    ".reg .u32 a<5>, b; mov.u32 a0, b;",
    ".reg .b32 none<0>;",
    ".reg .u32 _a$b, $c, %d$; mov.u32 _a$b, 1;",
    ".shared .align 16 .b8 a[10], b[2][3];",
    ".align 16 .shared .b32 x;",
    "mov.u32 %r1, /* in */ 5; // after",
    "mov/**/.u32\n%r1\n,\n5\n;",
    "# 1 \"marker\"",
    "\\ mov.u32 %r1, 1;",
};

constexpr std::array bad_statements = {
    "mov.u32 %r1, 018;",
    "mov.u32 %r1, 5u;",
    "mov.u32 %r1, 0b2;",
    "mov.u32 %r1, 0x;",
    "mov.f32 %f1, 1.0e5f;",
    "mov.f32 %f1, 0f3F8000;",
    "mov.f32 %f1, 0f3F8000001;",
    "mov.f32 %f1, -0f3F800000;",
    "mov.f32 %f1, 0f3F800000+0f3F800000;",
    "ld.global.u32 %r1, [g-4];",
    "ld.global.u32 %r1, [4+g];",
    "ld.global.u32 %r1, [g[1]];",
    "ld.global.u32 %r1, g[1]+4;",
    "ld.global.u32 %r1, [%rd1+%rd2];",
    "ld.global.u32 %r1, [];",
    "ld.global.u32 %r1, [%rd1;",
    "ld.global.u32 %r1, [%rd1+4, %rd2];",
    "ld.global.u32 %r1, [g, 4];",
    "ld.global.u32 %r1, [vv.x];",
    "ld. global.u32 %r1, [g];",
    "mov.u64 %rd1, generic(g);",
    "@%p1 { mov.u32 %r1, 2; }",
    "@%p1 L: mov.u32 %r1, 2;",
    "@!!%p1 ret;",
    "@1 ret;",
    "@%p1;",
    ";",
    "mov.u32 %r1, 1",
    "mov.u32 %r1, %tid . x;",
    "mov.u64 %rd1, f0 .noreturn;",
    "{ mov.u32 %r1, 1;",
    "}",
    "mov.b64 %rd1, {{%r1}, {%r2}};",
    "mov.b64 %rd1, {};",
    "mov.b64 {%r1 %r2}, %rd1;",
    "mov.b64 %rd1, {%r1, g+4};",
    "mov.u32 %r1|%r2|%r3, 4;",
    "and.pred %p1, %p2, !!%p3;",
    "add.s32 %r1, %r2, (%r3);",
    "add.s32 %r1, %r2 %r3;",
    "add.s32 %r1, %r2,;",
    "add..s32 %r1, %r2, %r3;",
    "add.s32 %r1, %r2, \"a\";",
    ".reg .u32 a<5>; mov.u32 a<0>, 1;",
    ".reg .u32 .v2 a;",
    ".reg .bf16 a;",
    ".reg .b32 a<-1>;",
    ".reg .u32 a.b;",
    ".reg .u32 _;",
    ".shared .b8 .align 16 a[10];",
    ".shared .f32 a[2+2];",
    ".extern .shared .f32 a[];",
    "{ .param .b32 o; call (o) f2 (%r1); }",
    "{ .param .b32 o; call (o); }",
    "{ .param .b32 o; call (o,), f2, (%r2); }",
    "{ P: .callprototype (.param .b32 _) foo (.param .b32 _); }",
    ".branchtargets A; A:",
    ".loc 1 5",
    ".loc 1 5 3;",
    ".file 1 \"x\"",
    "#include \"x\"",
};

constexpr std::array good_modules = {
    ".global .u32 a, b, c = 4, d[2] = {1,2};",
    ".global .u32 a[2][2] = {{1},{3,4}};",
    ".global .u32 a[][2] = {{1,2},{3,4}};",
    ".global .u32 a[2] = {};",
    ".global .u32 a[WARP_SZ] = {1};",
    ".global .v4 .f32 a = {1.0,2.0,3.0,4.0};",
    ".global .f32 a[2] = {1.0+2.0, 0f3F800000};",
    ".global .u32 x; .global .u64 a[2] = {generic(x)+4*4, x+4};",
    ".global .u32 x; .global .u8 a[3] = {0xFF(x), 0xFF00(generic(x)+4), 0xFF00000000000000(x+4)};",
    ".func f(); .global .u64 a = f; .func f() { ret; }",
    ".global .attribute(.managed) .align 4 .u32 a;",
    ".common .global .u32 a; .weak .global .u32 b; .visible .const .u32 c = 1;",
    ".global .texref t = { width = 1 };",
    ".file 1 \"a.cu\", 1234, 5678",
    ".section .debug_str { .b8 1,2\nL: .b8 4\n.b64 L\n.b32 .debug_str\n.b32 L+4\n.b64 L-L\n}",
    ".visible .func g(); .visible .func f() { ret; } .alias g, f;",
    ".entry k { ret; }",
    ".entry k(.param .u64 .ptr a, .param .u64 .ptr .global .align 8 b, .param .b8 c[16]) { ret; }",
    ".entry k() .maxntid 128, 1, 1 .minnctapersm 2 .maxnreg 32 .pragma \"nounroll\"; { ret; }",
    ".entry k() .reqntid 128 .reqnctapercluster 2 .blocksareclusters { ret; }",
    ".entry k() .explicitcluster .maxclusterrank 8 { ret; }",
    ".func f .noreturn { exit; }",
    ".func (.reg .u32 r) f(.reg .u32 a, .reg .f32 b) .abi_preserve 8 { mov.u32 r, a; ret; }",
};

constexpr std::array bad_modules = {
    ".global .u32 a[2] = {5,};",
    ".global .b8 a[4] = \"abc\";",
    ".global .u32 x; .global .u64 a[2] = {generic(x)-4};",
    ".global .u32 x; .global .u64 a = generic(x+4);",
    ".global .u32 x; .global .u8 a = 0xFF(x)+4;",
    ".global .u32 a = 1 +;",
    ".global .u32 .align 8 a;",
    ".visible .weak .global .u32 a;",
    ".global .attribute(.foo) .u32 a;",
    ".file \"a.cu\"",
    ".alias g, f",
    ".entry k(.param .ptr .u64 b) { ret; }",
    ".entry k(.param .u64 b,) { ret; }",
    ".entry k() .maxntid 128 1 1 { ret; }",
    ".entry k() .maxntid 1, 1, 1, 1 { ret; }",
    ".entry k() .pragma \"nounroll\" { ret; }",
    ".func f() .maxntid 1 { ret; }",
    ".noreturn .func f() { exit; }",
    ".func f(.param .b8 a[4][4]) { ret; }",
    ".common .func f() { ret; }",
    ".func f();;",
    ".target sm_90a",
    ".foo",
    "garbage",
    ".func f(",
};

class Oracle : public testing::Test {
 protected:
  void SetUp() override {
    if (!oracle::JitLink::get().available()) GTEST_SKIP() << "libnvJitLink.so.13 is not installed";
  }
  static oracle::Verdict judge(const std::string& text) {
    return oracle::JitLink::get().judge(text);
  }
  static void expect_accepted(const std::string& text, std::string_view shown) {
    const auto verdict = judge(text);
    EXPECT_TRUE(verdict.accepted) << shown << "\n" << verdict.log;
    EXPECT_EQ(refusal_of(text), "") << shown;
  }
  static void expect_refused(const std::string& text, std::string_view shown) {
    const auto verdict = judge(text);
    EXPECT_TRUE(!verdict.accepted && verdict.is_syntax_error()) << shown << "\n" << verdict.log;
    EXPECT_NE(refusal_of(text), "") << shown;
  }
};

TEST_F(Oracle, LegalStatementsParse) {
  for (const char* statement : good_statements) expect_accepted(in_body(statement), statement);
}
TEST_F(Oracle, SyntaxErrorsInStatementsAreRefused) {
  for (const char* statement : bad_statements) expect_refused(in_body(statement), statement);
}
// Not asked of nvJitLink, which on AArch64 looks for the end for ever.
TEST(Grammar, ACommentWithoutAnEndIsRefused) { EXPECT_NE(refusal_of(in_body("/* no end")), ""); }
TEST_F(Oracle, LegalModulesParse) {
  for (const char* text : good_modules) expect_accepted(header + text + "\n", text);
}
TEST_F(Oracle, SyntaxErrorsInModulesAreRefused) {
  for (const char* text : bad_modules) expect_refused(header + text + "\n", text);
}

// The bytes of the one section that holds initialised global variables.
std::vector<std::uint64_t> initial_data(const std::vector<char>& cubin) {
  Elf64_Ehdr head;
  std::memcpy(&head, cubin.data(), sizeof head);
  std::vector<Elf64_Shdr> sections(head.e_shnum);
  std::memcpy(sections.data(), cubin.data() + head.e_shoff, sections.size() * sizeof(Elf64_Shdr));
  const char* names = cubin.data() + sections[head.e_shstrndx].sh_offset;
  for (const Elf64_Shdr& section : sections) {
    if (std::string_view(names + section.sh_name) != ".nv.global.init") continue;
    std::vector<std::uint64_t> data(section.sh_size / 8);
    std::memcpy(data.data(), cubin.data() + section.sh_offset, data.size() * 8);
    return data;
  }
  return {};
}

TEST_F(Oracle, ConstantExpressionsHaveTheSameValues) {
  const std::vector<std::string> expressions = {
      "-7 % 3",
      "-7 / 2",
      "-7U / 2",
      "~0 >> 1",
      "(-1 | 0) >> 1",
      "(-1 & -1) < 0",
      "(-1 + 0U) >> 60",
      "-1 >> 60",
      "(.u64)-1 >> 60",
      "1 << 65",
      "1 << -1",
      "(1 << 63) >> 63",
      "(1 ? -1 : 0U) >> 60",
      "9223372036854775808 >> 63",
      "-1 < 0U",
      "!5 - 1 >> 60",
      "1.5 < 2.0",
      "1 | 2 ^ 3 & 4",
      "1 || 0 && 0",
      "2 + 3 * 4 % 5",
      "1 ? 2 : 0 ? 3 : 4",
      "6 / 4 * 2",
      "1 << 2 + 1",
      "3 & 1 == 1",
      "1 != 2 < 3",
      "0x10U + 0b11 + 010",
      "(-2 % -1) >> 60",
      "- -1",
      "-(0U+1) >> 60",
      "WARP_SZ * 2",
      "18446744073709551615",
      "1 - 2 - 3",
      "100 / 7 / 2",
      "1 >= 1 && 2 <= 1",
  };
  std::string text =
      header + ".visible .global .u64 a[" + std::to_string(expressions.size()) + "] = {";
  for (const std::string& expression : expressions)
    text += (&expression == &expressions[0] ? "" : ", ") + expression;
  text += "};\n";
  const auto verdict = judge(text);
  ASSERT_TRUE(verdict.accepted) << verdict.log;
  const auto expected = initial_data(verdict.cubin);
  const auto module = sim::ptx::parse(text);
  const auto& initial = module.variables.at(0).initial;
  ASSERT_EQ(expected.size(), expressions.size());
  ASSERT_EQ(initial.size(), expressions.size());
  for (std::size_t i = 0; i < expressions.size(); ++i)
    EXPECT_EQ(initial[i].bits, expected[i]) << expressions[i];
}

}  // namespace
