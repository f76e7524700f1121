#include "lab/profile/demangle.hpp"

#include <gtest/gtest.h>

namespace aisp::lab {
namespace {

TEST(Readable, IsTheNameInTheSource) {
  EXPECT_EQ(readable("_ZN4ch115scaleILi4EEEvPf"), "void ch11::scale<4>(float*)");
  EXPECT_EQ(readable("cutlass_kernel"), "cutlass_kernel");
}

TEST(ShortName, LeavesOutResultArgumentsAndParameters) {
  EXPECT_EQ(short_name("void ch11::scale<4>(float*)"), "ch11::scale");
  EXPECT_EQ(short_name("tile::Kernel<Layout<2, 3>, (Order)1>::run(int)"), "tile::Kernel::run");
  EXPECT_EQ(short_name("(anonymous namespace)::add(float const*)"), "add");
  EXPECT_EQ(short_name("cutlass_kernel"), "cutlass_kernel");
  EXPECT_EQ(short_name("(strange)"), "(strange)");
}

}  // namespace
}  // namespace aisp::lab
