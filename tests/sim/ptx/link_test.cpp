// Several PTX texts become one, as nvlink and the driver link them.
#include "sim/ptx/link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/ptx/module.hpp"
#include "tests/sim/program/decode_only.hpp"

using namespace aisp;
using sim::ptx::link;
using sim::ptx::LinkUnit;
using testing::HasSubstr;

namespace {

const std::string head = ".version 9.0\n.target sm_90a\n.address_size 64\n";

sim::ptx::Module linked(const std::vector<std::string>& bodies) {
  std::vector<LinkUnit> units;
  for (const std::string& body : bodies)
    units.push_back({head + body, "unit " + std::to_string(units.size() + 1)});
  return sim::ptx::parse(link(units));
}
sim::Program decoded(const std::vector<std::string>& bodies) {
  std::vector<LinkUnit> units;
  for (const std::string& body : bodies) units.push_back({head + body, "unit"});
  return decode_only(link(units));
}

TEST(PtxLink, ExternalNamesFindTheirDefinitionsInOtherUnits) {
  const auto program = decoded(
      {".extern .func (.param .b32 r) twice(.param .b32 a);\n.extern .global .u32 shared_by_both;\n"
       ".visible .entry k() { .reg .b32 %r<3>; .param .b32 a, r; ld.global.u32 %r1, "
       "[shared_by_both]; st.param.b32 [a], %r1; call (r), twice, (a); ret; }\n",
       ".visible .global .u32 shared_by_both = 5;\n"
       ".visible .func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, "
       "[a]; add.s32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }\n"});
  EXPECT_NE(program.kernel("k"), nullptr);
  EXPECT_EQ(program.variables.size(), 1u);
}

TEST(PtxLink, LocalNamesOfTwoUnitsStayApart) {
  const auto program = decoded(
      {".global .u32 own = 1; .func helper() { ret; }\n.visible .entry a() { .reg .b32 %r<2>; "
       "ld.global.u32 %r1, [own]; call helper; ret; }",
       ".global .u32 own = 2; .func helper() { trap; ret; }\n.visible .entry b() { .reg .b32 "
       "%r<2>; ld.global.u32 %r1, [own+0]; call helper; ret; }"});
  EXPECT_EQ(program.variables.size(), 2u);
  EXPECT_NE(program.variables[0].name, program.variables[1].name);
  EXPECT_EQ(program.routines.size(), 4u);
}

TEST(PtxLink, ALocalNameBesideAGlobalOneOfAnotherUnit) {
  const auto program = decoded({".visible .global .u32 x; .visible .entry a() { ret; }",
                                ".global .u64 x[2] = {x, x+8}; .visible .entry b() { ret; }"});
  EXPECT_EQ(program.variables.size(), 2u);
}

TEST(PtxLink, AnOpcodeIsNoName) {
  const auto program = decoded(
      {".func ret() { ret; } .visible .entry a() { .reg .pred %p; @%p ret; @!%p ret; ret; }",
       ".func ret() { ret; } .visible .entry b() { call ret; ret; }"});
  EXPECT_EQ(program.routines.size(), 4u);
}

TEST(PtxLink, OneOfTheWeakDefinitionsIsKept) {
  const std::string weak =
      ".weak .func f() { ret; }\n.weak .entry k() .pragma \"nounroll\"; { call f; ret; }\n";
  const auto both = linked({weak, weak});
  EXPECT_EQ(both.functions.size(), 2u);
  const auto strong = linked({weak, ".visible .func f() { trap; ret; }\n"});
  ASSERT_EQ(strong.functions.size(), 2u);
  EXPECT_TRUE(strong.functions[1].is_visible);
  EXPECT_EQ(strong.functions[1].name, "f");
}

TEST(PtxLink, TheLargestCommonVariableIsKept) {
  const auto module = linked({".common .global .u32 a[4];", ".common .global .u32 a[16];"});
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_EQ(module.variables[0].extents[0], 16u);
}

TEST(PtxLink, TwoStrongDefinitionsAreRefusedByName) {
  try {
    decoded({".visible .func f() { ret; }", ".visible .func f() { ret; }"});
    FAIL() << "linked";
  } catch (const sim::ptx::Refused& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("'f' is defined twice"));
  }
}

TEST(PtxLink, FilesAndLinesAreThoseOfTheirUnit) {
  const std::string body =
      ".file 1 \"NAME.cu\"\n.visible .entry NAME() {\n.loc 1 7 3\nret;\n}\n.file 2 \"NAME.h\"\n";
  const auto named = [&](const std::string& name) {
    std::string text = body;
    for (std::size_t at; (at = text.find("NAME")) != std::string::npos;) text.replace(at, 4, name);
    return text;
  };
  const auto module = linked({named("first"), named("second")});
  ASSERT_EQ(module.files.size(), 5u);
  EXPECT_EQ(module.files[3], "second.cu");
  const auto& ret = std::get<sim::ptx::Instruction>(module.functions[1].body.statements.at(0));
  EXPECT_EQ(ret.source.file, 3);
  EXPECT_EQ(ret.source.line, 7);
}

TEST(PtxLink, TheNewestVersionAndTargetAreTaken) {
  const auto module = sim::ptx::parse(
      link({{".version 7.8\n.target sm_80\n.address_size 64\n.func f() { ret; }", "a"},
            {".version 8.4\n.target sm_90a, debug\n.address_size 64\n.func g() { ret; }", "b"}}));
  EXPECT_EQ(module.version_major, 8);
  EXPECT_EQ(module.target, "sm_90a");
}

TEST(PtxLink, TextThatIsBrokenIsRefusedAndEnds) {
  for (const char* body : {".visible .func f(", ".global .u32 a = {", "{{{{", "(((", ".section .x",
                           ".file", ".pragma", ".extern", "/* no end"})
    EXPECT_THROW(linked({body, ".func f() { ret; }"}), sim::ptx::Refused) << body;
}

}  // namespace
