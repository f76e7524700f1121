// Instructions as the parser delivers them: guards, modifiers, operands of every kind, calls.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "sim/ptx/module.hpp"

using namespace aisp;

namespace {

using namespace sim::ptx;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// The views of an instruction point into its module, so the two stay together.
struct Parsed {
  Module module;
  Instruction instruction;
};

std::string module_text(const std::string& statement) {
  return ".version 9.0\n.target sm_90a\n.global .u32 g[16];\n.global .v4 .f32 v[4];\n"
         ".entry k() {\n" +
         statement + "\n}\n";
}

Parsed parsed(const std::string& statement) {
  Module module = parse(module_text(statement));
  auto instruction = std::get<Instruction>(module.functions.at(0).body.statements.at(0));
  return {std::move(module), std::move(instruction)};
}

std::string refusal_of(const std::string& statement) {
  try {
    parse(module_text(statement));
    return "accepted";
  } catch (const Refused& refused) {
    return refused.what();
  }
}

TEST(PtxInstructions, GuardRootModifiersText) {
  const auto [module, read] = parsed(
      "@!%p1 cp.async.bulk.tensor.2d.shared::cluster.L2::128B.32x32b\n  [%r1],[%rd1, {%r2, 3}];");
  EXPECT_EQ(read.guard, "%p1");
  EXPECT_TRUE(read.guard_negated);
  EXPECT_EQ(read.root, "cp");
  EXPECT_THAT(read.modifiers, ElementsAre("async", "bulk", "tensor", "2d", "shared::cluster",
                                          "L2::128B", "32x32b"));
  EXPECT_EQ(read.text.substr(0, 6), "@!%p1 ");
  EXPECT_EQ(read.text.substr(read.text.size() - 5), " 3}];");
  EXPECT_EQ(read.position.line, 6);
  EXPECT_EQ(read.operands.at(0).position.line, 7);
}

TEST(PtxInstructions, NoOperandsAndNoBlank) {
  EXPECT_THAT(parsed("ret;").instruction.operands, IsEmpty());
  const auto [module, read] = parsed("mov.b64{%r1,_},%rd1;");
  ASSERT_EQ(read.operands.size(), 2u);
  ASSERT_EQ(read.operands[0].parts.size(), 2u);
  EXPECT_EQ(read.operands[0].parts[1].kind, Operand::Kind::sink);
  const auto [other, spread] = parsed("ld .global /* c */ .u32 a, [b];");
  EXPECT_THAT(spread.modifiers, ElementsAre("global", "u32"));
}

TEST(PtxOperands, Names) {
  const auto [module, read] =
      parsed("op %tid.x, %tid .y, v.x, $L, !%p, g+4*2, g[3], %lanemask_lt, _;");
  const auto& list = read.operands;
  EXPECT_EQ(list[0].name, "%tid.x");
  EXPECT_EQ(list[1].name, "%tid.y");
  EXPECT_EQ(list[2].name, "v.x");
  EXPECT_EQ(list[3].name, "$L");
  EXPECT_TRUE(list[4].negated);
  EXPECT_EQ(list[4].name, "%p");
  EXPECT_EQ(list[5].name, "g");
  EXPECT_EQ(list[5].offset, 8);
  EXPECT_EQ(list[7].kind, Operand::Kind::name);
  EXPECT_EQ(list[8].kind, Operand::Kind::sink);
}

TEST(PtxOperands, AnIndexCountsScalarElements) {
  const auto [module, loaded] = parsed("ld.global.u32 %r1, g[3];");
  EXPECT_EQ(loaded.operands[1].kind, Operand::Kind::address);
  EXPECT_EQ(loaded.operands[1].address.base, "g");
  EXPECT_EQ(loaded.operands[1].address.offset, 12);
  const auto [other, moved] = parsed("mov.u64 %rd1, v[1+1];");
  EXPECT_EQ(moved.operands[1].kind, Operand::Kind::name);
  EXPECT_EQ(moved.operands[1].name, "v");
  EXPECT_EQ(moved.operands[1].offset, 8);
  EXPECT_THAT(refusal_of("ld.global.u32 %r1, %rd1[1];"), HasSubstr("only an array"));
  EXPECT_THAT(refusal_of("ld.global.u32 %r1, g[%r2];"), HasSubstr("constants only"));
}

TEST(PtxOperands, InnerArraysHideOuterOnes) {
  const auto module = parse(module_text("{ .shared .b64 g[4]; ld.shared.u64 %rd1, g[3]; }"));
  const auto& block =
      *std::get<std::shared_ptr<Block>>(module.functions.at(0).body.statements.at(0));
  EXPECT_EQ(std::get<Instruction>(block.statements.at(1)).operands[1].address.offset, 24);
}

TEST(PtxOperands, Values) {
  const auto [module, read] = parsed(
      "op -1, 0x10, 017, 0b11, 1.5, .5e+1, 0f3F800000, WARP_SZ, !0, "
      "(1 << 4) | 2, 1 ? 2 : 3, 0xFFFFFFFFFFFFFFFF;");
  const auto bits = [&](std::size_t index) { return read.operands.at(index).value.bits; };
  for (const Operand& operand : read.operands) EXPECT_EQ(operand.kind, Operand::Kind::value);
  EXPECT_EQ(bits(0), ~0ull);
  EXPECT_EQ(bits(1), 16u);
  EXPECT_EQ(bits(2), 15u);
  EXPECT_EQ(bits(3), 3u);
  EXPECT_EQ(read.operands[4].value.kind, Expression::Kind::f64);
  EXPECT_EQ(std::bit_cast<double>(bits(4)), 1.5);
  EXPECT_EQ(std::bit_cast<double>(bits(5)), 5.0);
  EXPECT_EQ(read.operands[6].value.kind, Expression::Kind::f32);
  EXPECT_EQ(bits(6), 0x3F800000u);
  EXPECT_EQ(bits(7), 32u);
  EXPECT_EQ(bits(8), 1u);
  EXPECT_EQ(bits(9), 18u);
  EXPECT_EQ(bits(10), 2u);
  EXPECT_EQ(bits(11), ~0ull);
}

TEST(PtxOperands, Addresses) {
  const auto [module, read] =
      parsed("op [a], [a+4], [a + -4], [16+WARP_SZ], [map, {%r1, 3}], [tex, smp, {x}], [a+0x10U];");
  const auto address = [&](std::size_t index) { return read.operands.at(index).address; };
  EXPECT_EQ(address(0).base, "a");
  EXPECT_EQ(address(1).offset, 4);
  EXPECT_EQ(address(2).offset, -4);
  EXPECT_EQ(address(3).base, "");
  EXPECT_EQ(address(3).offset, 48);
  ASSERT_EQ(address(4).more.size(), 1u);
  EXPECT_EQ(address(4).more[0].kind, Operand::Kind::vector);
  EXPECT_EQ(address(4).more[0].parts.at(1).value.bits, 3u);
  ASSERT_EQ(address(5).more.size(), 2u);
  EXPECT_EQ(address(5).more[0].name, "smp");
  EXPECT_EQ(address(6).offset, 16);
}

TEST(PtxOperands, Pairs) {
  const auto [module, read] = parsed("setp.lt.and.f32 %p1|_, %f1, 0f00000000, !%p3;");
  const auto& pair = read.operands.at(0);
  EXPECT_EQ(pair.kind, Operand::Kind::pair);
  ASSERT_EQ(pair.parts.size(), 2u);
  EXPECT_EQ(pair.parts[0].name, "%p1");
  EXPECT_EQ(pair.parts[1].kind, Operand::Kind::sink);
  EXPECT_TRUE(read.operands.at(3).negated);
}

TEST(PtxCalls, DirectForms) {
  const auto [module, bare] = parsed("call f;");
  EXPECT_EQ(bare.operands.at(0).name, "f");
  EXPECT_FALSE(bare.has_results);
  const auto [other, full] = parsed("call.uni \n(retval0), \nf, \n(\nparam0, \n5\n)\n;");
  EXPECT_TRUE(full.has_results);
  EXPECT_EQ(full.results.at(0).name, "retval0");
  ASSERT_EQ(full.arguments.size(), 2u);
  EXPECT_EQ(full.arguments[0].name, "param0");
  EXPECT_EQ(full.arguments[1].value.bits, 5u);
  ASSERT_EQ(full.operands.size(), 1u);
  const auto [third, empty] = parsed("call (), f, ();");
  EXPECT_FALSE(empty.has_results);
  EXPECT_THAT(empty.arguments, IsEmpty());
}

TEST(PtxCalls, IndirectForms) {
  const auto [module, full] = parsed("call (_), %rd1, (a), P;");
  ASSERT_EQ(full.operands.size(), 2u);
  EXPECT_EQ(full.operands[0].name, "%rd1");
  EXPECT_EQ(full.operands[1].name, "P");
  EXPECT_EQ(full.results.at(0).kind, Operand::Kind::sink);
  const auto [other, brief] = parsed("call %rd1, P;");
  ASSERT_EQ(brief.operands.size(), 2u);
  EXPECT_EQ(brief.operands[1].name, "P");
}

TEST(PtxInstructions, Refusals) {
  const std::pair<const char*, const char*> cases[] = {
      {"add.s32 a, b", "',' or ';'"},
      {"add.s32 a, b,;", "a constant"},
      {"add.s32 a, -b;", "negated"},
      {"mov.b64 a, {};", "a constant"},
      {"ld.u32 a, [b+1.5];", "an integer"},
      {"ld.u32 a, [b+c];", "a constant"},
      {"ld.u32 a, [b-4];", "expected ']'"},
      {"ld.u32 a, [_];", "a register or a variable"},
      {"mov.f32 a, -0f3F800000;", "stands alone"},
      {"mov.f32 a, 1.0 + 1;", "two integers or two decimal"},
      {"mov.f32 a, 1e999;", "out of range"},
      {"mov.f32 a, 1e;", "exponent"},
      {"mov.u32 a, 1.0 ? 1 : 2;", "integers only"},
      {"mov.u32 a, (-9223372036854775807 - 1) / -1;", "64 bits"},
      {"mov.u32 a, $;", "a name"},
      {"mov.u32 a, \"x\";", "a constant"},
      {"mov.u32 a, \"x;", "string does not end"},
      {"mov.u32 a, '1';", "a character"},
      {"mov.u32 a, \xc3\xa9;", "a character"},
      {"@%p1;", "an opcode"},
      {"@1 ret;", "a predicate"},
      {"call (a) f;", "expected ','"},
      {"#define X", "preprocessor"},
      {".maxnreg 3;", "a directive or a state space"},
  };
  for (const auto& [statement, reason] : cases)
    EXPECT_THAT(refusal_of(statement), HasSubstr(reason)) << statement;
}

}  // namespace
