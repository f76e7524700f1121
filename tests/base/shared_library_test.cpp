#include "base/shared_library.hpp"

#include <gtest/gtest.h>

namespace aisp::base {
namespace {

TEST(SharedLibrary, HasTheFunctionsThatItHas) {
  const SharedLibrary library("libm.so.6");
  ASSERT_TRUE(library) << library.problem();
  EXPECT_EQ(library.name(), "libm.so.6");
  EXPECT_EQ(library.problem(), "");
  double (*cosine)(double) = nullptr;
  ASSERT_TRUE(library.find(cosine, "cos"));
  EXPECT_EQ(cosine(0.0), 1.0);
  EXPECT_FALSE(library.find(cosine, "no_such_function"));
  EXPECT_EQ(cosine, nullptr);
}

TEST(SharedLibrary, ThatIsMissingSaysSoAndHasNothing) {
  const SharedLibrary library("libaisp_nowhere.so.1");
  EXPECT_FALSE(library);
  EXPECT_NE(library.problem().find("libaisp_nowhere.so.1"), std::string::npos) << library.problem();
  double (*cosine)(double) = nullptr;
  EXPECT_FALSE(library.find(cosine, "cos"));
}

TEST(SharedLibrary, IsTheFirstThatIsThere) {
  EXPECT_EQ(SharedLibrary::first_of({"libaisp_nowhere.so.1", "libm.so.6", "libc.so.6"}).name(),
            "libm.so.6");
  const auto none = SharedLibrary::first_of({"libaisp_nowhere.so.1", "libaisp_nowhere.so.2"});
  EXPECT_FALSE(none);
  EXPECT_NE(none.problem().find("libaisp_nowhere.so.2"), std::string::npos) << none.problem();
  EXPECT_EQ(SharedLibrary::first_of({}).problem(), "no name to try");
}

TEST(SharedLibrary, HasNothingOnceItIsClosed) {
  SharedLibrary library("libm.so.6");
  library.close();
  EXPECT_FALSE(library);
  double (*cosine)(double) = nullptr;
  EXPECT_FALSE(library.find(cosine, "cos"));
}

TEST(FunctionsOfTheProcess, AreFoundByName) {
  EXPECT_NE(find_in_process<int(const char*)>("puts"), nullptr);
  EXPECT_EQ(find_in_process<void()>("aisp_has_no_such_function"), nullptr);
}

}  // namespace
}  // namespace aisp::base
