#include "jit/build/resources.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aisp::jit {
namespace {

using testing::ElementsAre;

TEST(Resources, AreReadFromTheAssemblersLog) {
  const auto found = resources_in(
      "ptxas info    : 716 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90a'\n"
      "ptxas info    : Function properties for first\n"
      "ptxas         .     16 bytes stack frame, 14 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 168 registers, used 16 barriers, 16 bytes cumulative stack size, 1040 "
      "bytes smem\n"
      "ptxas info    : Function properties for second\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, used 0 barriers\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].kernel, "first");
  EXPECT_EQ(found[0].registers, 168);
  EXPECT_EQ(found[0].stack, 16);
  EXPECT_EQ(found[0].spill_stores, 14);
  EXPECT_EQ(found[0].spill_loads, 12);
  EXPECT_EQ(found[0].shared, 1040);
  EXPECT_EQ(found[1].kernel, "second");
  EXPECT_EQ(found[1].registers, 8);
  EXPECT_EQ(found[1].shared, 0);
}

TEST(EntryPoints, HaveTheBytesOfTheirParameters) {
  const auto found = entry_points_in(
      ".visible .entry scale(\n\t.param .u64 .ptr .align 1 scale_param_0,\n\t.param .f32 "
      "scale_param_1,\n\t.param .align 128 .b8 scale_param_2[1152],\n\t.param .u8 "
      "scale_param_3\n)\n{\n}\n"
      ".visible .entry nothing()\n{\n}\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].name, "scale");
  EXPECT_THAT(found[0].parameter_bytes, ElementsAre(8, 4, 1152, 1));
  EXPECT_EQ(found[1].name, "nothing");
  EXPECT_TRUE(found[1].parameter_bytes.empty());
}

TEST(Log, HasPlacesAsCompilersWriteThem) {
  const std::string log = readable_log(
      "user.cu(14): error: identifier \"x\" is undefined\n  x = 1;\n  ^\n\n"
      "tile/a.hpp(3): warning #177-D: variable \"y\" was declared but never referenced\n"
      "ptxas info    : Used 8 registers\n");
  EXPECT_EQ(log,
            "user.cu:14: error: identifier \"x\" is undefined\n  x = 1;\n  ^\n\n"
            "tile/a.hpp:3: warning #177-D: variable \"y\" was declared but never referenced\n");
  const auto first = first_error_in(log);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->line, "user.cu:14: identifier \"x\" is undefined");
  EXPECT_EQ(first->count, 1);
  EXPECT_FALSE(first_error_in("user.cu:3: warning: no error here\n"));
}

TEST(Log, NamesProductsThatWaitForEachOther) {
  EXPECT_EQ(serialized_products_in(
                "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions "
                "are serialized due to non wgmma instructions defining accumulator registers\n"),
            "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due "
            "to non wgmma instructions defining accumulator registers");
  EXPECT_FALSE(serialized_products_in("ptxas info    : Used 8 registers\n"));
}

}  // namespace
}  // namespace aisp::jit
