// The parser piece by piece: what a text becomes, and how it is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>

#include "sim/ptx/module.hpp"

using namespace aisp;

namespace {

using namespace sim::ptx;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string header = ".version 9.0\n.target sm_90a\n.address_size 64\n";

Module module_of(const std::string& text) { return parse(header + text); }
// Statements of the body of a kernel; the first one stands on line 5.
Module body_of(const std::string& text) { return module_of(".entry k() {\n" + text + "\n}\n"); }
const std::vector<Statement>& statements(const Module& module) {
  return module.functions.at(0).body.statements;
}
const Instruction& instruction(const Module& module, std::size_t index = 0) {
  return std::get<Instruction>(statements(module).at(index));
}
const Variable& variable(const Module& module, std::size_t index = 0) {
  return module.variables.at(index);
}
std::string refusal_of(const std::string& text) {
  try {
    parse(text);
    return "accepted";
  } catch (const Refused& refused) {
    return refused.what();
  }
}
std::string body_refusal(const std::string& text) {
  return refusal_of(header + ".entry k() {\n" + text + "\n}\n");
}

TEST(PtxHeader, VersionTargetAddressSize) {
  const auto module =
      parse("// head\n.version 8.10\n.target sm_100a, debug, texmode_independent\n");
  EXPECT_EQ(module.version_major, 8);
  EXPECT_EQ(module.version_minor, 10);
  EXPECT_EQ(module.target, "sm_100a");
  EXPECT_THAT(module.target_options, ElementsAre("debug", "texmode_independent"));
  EXPECT_EQ(module.address_size, 64);
  EXPECT_EQ(parse(header + std::string(3, '\0')).target, "sm_90a");
}

TEST(PtxHeader, Refusals) {
  EXPECT_THAT(refusal_of(""), HasSubstr("begins with .version"));
  EXPECT_THAT(refusal_of(".version 9\n.target sm_90"), HasSubstr("a version such as 9.0"));
  EXPECT_THAT(refusal_of(".version 9.0\n.entry k() {}"), HasSubstr(".target must follow"));
  EXPECT_THAT(refusal_of(".version 9.0\n.target h200"), HasSubstr("sm_ or compute_"));
  EXPECT_THAT(refusal_of(".version 9.0\n.target sm_90\n.address_size 48"), HasSubstr("32 or 64"));
}

TEST(PtxRefusal, NamesTheLineAndItsText) {
  EXPECT_EQ(body_refusal("\n  add.s32 %r1 %r2;  \n"),
            "line 6: expected ',' or ';', not '%r2': add.s32 %r1 %r2;");
  try {
    body_of("mov.u32 %r1, 0x;");
    FAIL();
  } catch (const Refused& refused) {
    EXPECT_EQ(refused.line(), 5);
  }
  const std::string longest = body_refusal("mov.u32 %r1 " + std::string(100000, 'x'));
  EXPECT_LT(longest.size(), 400u);
}

TEST(PtxRegisters, RangesListsVectors) {
  const auto module = body_of(
      ".reg .pred %p<3>;\n.reg .b32 a, b<4>, none<0>;\n.reg .v4 .f32 v;\n.reg .b128 q; .reg .f16x2 "
      "h;");
  const auto& list = statements(module);
  ASSERT_EQ(list.size(), 6u);
  const auto& predicates = std::get<Variable>(list[0]);
  EXPECT_EQ(predicates.space, Space::reg);
  EXPECT_EQ(predicates.name, "%p");
  EXPECT_EQ(predicates.type, "pred");
  EXPECT_EQ(predicates.count, 3);
  EXPECT_EQ(predicates.position.line, 5);
  EXPECT_EQ(std::get<Variable>(list[1]).count, 0);
  EXPECT_EQ(std::get<Variable>(list[2]).count, 4);
  EXPECT_EQ(std::get<Variable>(list[3]).vector, 4);
  EXPECT_EQ(std::get<Variable>(list[4]).type, "b128");
}

TEST(PtxRegisters, Refusals) {
  EXPECT_THAT(body_refusal(".reg .b32 %r<99999999>;"), HasSubstr("at most"));
  EXPECT_THAT(body_refusal(".reg .b32 %r<99999999999999999999999>;"), HasSubstr("at most"));
  EXPECT_THAT(body_refusal(".reg .b33 a;"), HasSubstr("a type"));
  EXPECT_THAT(body_refusal(".reg .b32 a[4];"), HasSubstr("';'"));
  EXPECT_THAT(body_refusal(".reg .shared .b32 a;"), HasSubstr("one state space"));
  EXPECT_THAT(body_refusal(".shared .pred a;"), HasSubstr("live in registers"));
  EXPECT_THAT(body_refusal(".b32 a;"), HasSubstr("no state space"));
  EXPECT_THAT(refusal_of(header + ".reg .b32 a;"), HasSubstr("belong to a function"));
}

TEST(PtxVariables, SpacesAlignmentLinkageArrays) {
  const auto module = module_of(R"(
.extern .shared .align 16 .b8 smem[];
.visible .global .align 8 .u64 a, b[2][3];
.weak .const .attribute(.managed) .f32 c;
.common .global .v2 .f64 d[4];
.global .texref t = { width = 1, filter_mode = nearest };
)");
  ASSERT_EQ(module.variables.size(), 6u);
  const auto& smem = variable(module);
  EXPECT_TRUE(smem.is_extern && smem.is_array);
  EXPECT_EQ(smem.space, Space::shared);
  EXPECT_EQ(smem.align, 16u);
  EXPECT_THAT(smem.extents, ElementsAre(0));
  EXPECT_FALSE(variable(module, 1).is_array);
  EXPECT_THAT(variable(module, 2).extents, ElementsAre(2, 3));
  EXPECT_TRUE(variable(module, 2).is_visible);
  EXPECT_EQ(variable(module, 2).align, 8u);
  EXPECT_TRUE(variable(module, 3).is_weak && variable(module, 3).is_managed);
  EXPECT_EQ(variable(module, 3).space, Space::constant);
  EXPECT_TRUE(variable(module, 4).is_common);
  EXPECT_EQ(variable(module, 4).vector, 2);
  EXPECT_EQ(variable(module, 5).type, "texref");
}

TEST(PtxVariables, Refusals) {
  EXPECT_THAT(refusal_of(header + ".global .align 3 .b8 a;"), HasSubstr("power of two"));
  EXPECT_THAT(refusal_of(header + ".global .b8 a[];"), HasSubstr("open"));
  EXPECT_THAT(refusal_of(header + ".global .b8 a[2][];"), HasSubstr("first dimension"));
  EXPECT_THAT(refusal_of(header + ".global .b8 a[0];"), HasSubstr("at least 1"));
  EXPECT_THAT(refusal_of(header + ".global .b8 a[99999999999999];"), HasSubstr("at most"));
  EXPECT_THAT(refusal_of(header + ".global .b8 a[1000000][1000000][1000000];"),
              HasSubstr("too large"));
  EXPECT_THAT(body_refusal(".shared .b32 a = 1;"), HasSubstr("initial values"));
}

std::vector<std::uint64_t> initial_bits(const std::string& declaration) {
  const auto module = module_of(declaration);
  std::vector<std::uint64_t> bits;
  for (const Expression& value : variable(module, module.variables.size() - 1).initial)
    bits.push_back(value.bits);
  return bits;
}

TEST(PtxInitialisers, FlattenedInMemoryOrder) {
  EXPECT_THAT(initial_bits(".global .u32 a = 5;"), ElementsAre(5));
  EXPECT_THAT(initial_bits(".global .u32 a[4] = {1, 2};"), ElementsAre(1, 2));
  EXPECT_THAT(initial_bits(".global .u32 a[2] = {};"), IsEmpty());
  EXPECT_THAT(initial_bits(".global .u32 a[3][2] = {{1}, {}, {2, 3}};"),
              ElementsAre(1, 0, 0, 0, 2, 3));
  EXPECT_THAT(initial_bits(".global .v2 .u32 a[2] = {{1, 2}, {3, 4}};"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(initial_bits(".global .s64 a = -1;"), ElementsAre(~0ull));
  EXPECT_THAT(initial_bits(".global .b8 a[2] = {0xFFU, 0b11};"), ElementsAre(255, 3));
  const auto open = module_of(".global .u32 a[][2] = {{1, 2}, {3, 4}, {5}};");
  EXPECT_THAT(variable(open).extents, ElementsAre(3, 2));
}

TEST(PtxInitialisers, Floats) {
  const auto module = module_of(".global .f32 a[4] = {1.5, 0f3F800000, -.5, 0d3FF0000000000000};");
  const auto& values = variable(module).initial;
  EXPECT_EQ(values[0].kind, Expression::Kind::f64);
  EXPECT_EQ(std::bit_cast<double>(values[0].bits), 1.5);
  EXPECT_EQ(values[1].kind, Expression::Kind::f32);
  EXPECT_EQ(values[1].bits, 0x3F800000u);
  EXPECT_EQ(std::bit_cast<double>(values[2].bits), -0.5);
  EXPECT_EQ(std::bit_cast<double>(values[3].bits), 1.0);
}

TEST(PtxInitialisers, Symbols) {
  const auto module = module_of(
      ".global .u64 a[3] = {x, generic(y)+4*2, f+-1};\n.global .b8 b[2] = {0xFF00(x+4), "
      "255(generic(y))};");
  const auto& words = variable(module).initial;
  EXPECT_EQ(words[0].kind, Expression::Kind::symbol);
  EXPECT_EQ(words[0].symbol, "x");
  EXPECT_FALSE(words[0].generic);
  EXPECT_EQ(words[0].mask_byte, -1);
  EXPECT_TRUE(words[1].generic);
  EXPECT_EQ(words[1].symbol, "y");
  EXPECT_EQ(words[1].bits, 8u);
  EXPECT_EQ(words[2].bits, ~0ull);
  const auto& bytes = variable(module, 1).initial;
  EXPECT_EQ(bytes[0].mask_byte, 1);
  EXPECT_EQ(bytes[0].bits, 4u);
  EXPECT_EQ(bytes[1].mask_byte, 0);
  EXPECT_TRUE(bytes[1].generic);
}

TEST(PtxInitialisers, Refusals) {
  const auto refused = [](const std::string& text) {
    return refusal_of(header + ".global " + text);
  };
  EXPECT_THAT(refused(".u32 a[2] = {1, 2, 3};"), HasSubstr("more initial values"));
  EXPECT_THAT(refused(".u32 a[2][2] = {1, 2};"), HasSubstr("expected '{'"));
  EXPECT_THAT(refused(".v4 .u32 a = {1, 2};"), HasSubstr("all of its elements"));
  EXPECT_THAT(refused(".u32 a = 1.5;"), HasSubstr("not of the variable's type"));
  EXPECT_THAT(refused(".f32 a = 1;"), HasSubstr("not of the variable's type"));
  EXPECT_THAT(refused(".u8 a = 0xFFFF(x);"), HasSubstr("one byte"));
  EXPECT_THAT(refused(".u32 a = 1 / 0;"), HasSubstr("division by zero"));
  EXPECT_THAT(refused(".u32 a = 99999999999999999999;"), HasSubstr("out of range"));
  EXPECT_THAT(refused(".b8 a[2][1000000000] = {{1}, {2}};"), HasSubstr("too many elements"));
}

TEST(PtxFunctions, SignaturesAndDirectives) {
  const auto module = module_of(R"(
.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .align 8 .b8 b[16]) .noreturn;
.visible .entry k(.param .u64 .ptr .global .align 8 p, .param .f32 q)
.maxntid 128, 2, 1 .minnctapersm 2 .reqnctapercluster 2 .explicitcluster .pragma "x"; { ret; }
.weak .func (.reg .u32 r) f(.reg .u32 a) {}
.alias g, f;
)");
  ASSERT_EQ(module.functions.size(), 3u);
  const auto& declared = module.functions[0];
  EXPECT_TRUE(declared.is_extern && !declared.has_body && !declared.is_entry);
  EXPECT_EQ(declared.name, "vprintf");
  ASSERT_EQ(declared.parameters.size(), 2u);
  EXPECT_EQ(declared.results.at(0).name, "r");
  EXPECT_EQ(declared.parameters[1].align, 8u);
  EXPECT_THAT(declared.parameters[1].extents, ElementsAre(16));
  EXPECT_EQ(declared.performance.at(0).name, "noreturn");
  const auto& entry = module.functions[1];
  EXPECT_TRUE(entry.is_entry && entry.is_visible && entry.has_body);
  EXPECT_EQ(entry.parameters[0].name, "p");
  EXPECT_EQ(entry.parameters[0].type, "u64");
  EXPECT_EQ(entry.parameters[0].align, 0u);
  ASSERT_EQ(entry.performance.size(), 5u);
  EXPECT_THAT(entry.performance[0].values, ElementsAre(128, 2, 1));
  EXPECT_EQ(entry.performance[0].text, ".maxntid 128, 2, 1");
  EXPECT_EQ(entry.performance[3].name, "explicitcluster");
  EXPECT_EQ(entry.performance[4].text, ".pragma \"x\";");
  EXPECT_EQ(module.functions[2].parameters[0].space, Space::reg);
  EXPECT_EQ(module.aliases.at(0).name, "g");
  EXPECT_EQ(module.aliases.at(0).target, "f");
}

TEST(PtxBodies, ScopesLabelsTargets) {
  const auto module = body_of(R"(A: { .reg .b32 x; B: ret; }
T: .branchtargets A, L<2>;
C : .calltargets f, g;
P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);)");
  const auto& list = statements(module);
  ASSERT_EQ(list.size(), 5u);
  EXPECT_EQ(std::get<Label>(list[0]).name, "A");
  const auto& inner = std::get<std::shared_ptr<Block>>(list[1])->statements;
  ASSERT_EQ(inner.size(), 3u);
  EXPECT_EQ(std::get<Label>(inner[1]).name, "B");
  const auto& branches = std::get<TargetList>(list[2]);
  EXPECT_EQ(branches.name, "T");
  EXPECT_FALSE(branches.is_calls);
  EXPECT_THAT(branches.labels, ElementsAre("A", "L0", "L1"));
  EXPECT_TRUE(std::get<TargetList>(list[3]).is_calls);
  const auto& prototype = std::get<Prototype>(list[4]);
  EXPECT_EQ(prototype.results.size(), 1u);
  EXPECT_EQ(prototype.parameters.size(), 2u);
  EXPECT_EQ(prototype.parameters[0].name, "_");
}

TEST(PtxBodies, SourceLines) {
  const auto module = module_of(R"(.file 2 "dir/a.cu", 1, 2
.entry k() { ret;
.loc 2 7 3
bar.sync 0;
.loc 2 9 1, function_name $L__info_string0+4, inlined_at 2 7 3
bar.sync 0; }
.entry l() { ret; }
.section .debug_str { .b8 1, 2 // }
L: .b64 L+4
.b32 .debug_abbrev })");
  EXPECT_THAT(module.files, ElementsAre("", "", "dir/a.cu"));
  EXPECT_EQ(instruction(module, 0).source.file, 0);
  EXPECT_EQ(instruction(module, 1).source.file, 2);
  EXPECT_EQ(instruction(module, 1).source.line, 7);
  EXPECT_EQ(instruction(module, 2).source.line, 9);
  EXPECT_EQ(instruction(module, 2).position.line, 9);
  const auto& after = std::get<Instruction>(module.functions[1].body.statements[0]);
  EXPECT_EQ(after.source.file, 0);
}

TEST(PtxLimits, NestingIsBounded) {
  const int many = 200000;
  EXPECT_THAT(body_refusal(std::string(many, '{')), HasSubstr("too deeply"));
  EXPECT_THAT(body_refusal("mov.u32 a, " + std::string(many, '(')), HasSubstr("too deeply"));
  EXPECT_THAT(body_refusal("mov.u32 a, " + std::string(many, '-')), HasSubstr("too deeply"));
  std::string chain = "mov.u32 a, 1";
  for (int i = 0; i < many; ++i) chain += "?1:1";
  EXPECT_THAT(body_refusal(chain), HasSubstr("too deeply"));
  const std::string open(200, '{'), close(200, '}');
  EXPECT_EQ(statements(body_of(open + close)).size(), 1u);
}

TEST(PtxLimits, TimeGrowsWithTheText) {
  std::string text;
  for (int i = 0; i < 100000; ++i) {
    const std::string n = std::to_string(i);
    text += "L" + n + ": { .param .b32 p[4]; ld.param.b32 %r1, p[2]; @%p1 bra L" + n + "; }\n";
  }
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(statements(body_of(text)).size(), 200000u);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

TEST(PtxText, SeedsOfTheFuzzerParse) {
  for (const std::string name : {"kernel.ptx", "grammar.ptx"}) {
    std::ifstream file(std::string(AISP_SOURCE_DIR "/tests/sim/fuzz/seeds/") + name);
    ASSERT_TRUE(file) << name;
    EXPECT_FALSE(parse({std::istreambuf_iterator<char>(file), {}}).functions.empty()) << name;
  }
}

}  // namespace
