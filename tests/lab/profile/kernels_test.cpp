#include "lab/profile/kernels.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "lab/profile/cupti.hpp"

namespace aisp::lab {
namespace {

TEST(Cupti, IsALibraryThatLoadsOrTheListOfPlacesTried) {
  std::string tried;
  const std::string path = find_cupti(tried);
  if (path.empty()) {
    EXPECT_NE(tried.find("libcupti.so.13"), std::string::npos) << tried;
    EXPECT_NE(tried.find("/usr/local/cuda/"), std::string::npos) << tried;
    return;
  }
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << path;
  EXPECT_NE(dlsym(library, "cuptiActivityEnable"), nullptr);
  dlclose(library);
}

TEST(Kernels, OfWorkThatLaunchesNoneAreNoneOrTheReasonIsOneLine) {
  bool worked = false;
  try {
    EXPECT_TRUE(kernels_of([&] { worked = true; }).empty());
    EXPECT_TRUE(worked);
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::environment);
    const std::string line = refusal.what();
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_NE(line.find("--profile none runs without it"), std::string::npos) << line;
  }
}

TEST(Kernels, AnExceptionOfTheWorkComesThroughAndTheNextProfileWorks) {
  for (int round = 0; round < 2; ++round) {
    try {
      kernels_of([] { throw std::out_of_range("the work's own"); });
      FAIL() << "nothing was thrown";
    } catch (const std::out_of_range& error) {
      EXPECT_STREQ(error.what(), "the work's own");
    } catch (const base::Refusal& refusal) {
      EXPECT_EQ(refusal.exit(), base::Exit::environment);  // no CUPTI or no driver here
    }
  }
}

}  // namespace
}  // namespace aisp::lab
