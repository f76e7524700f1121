#include <gtest/gtest.h>
#include <sys/stat.h>

#include "jit/run/tuned.hpp"
#include "tests/support/files.hpp"

namespace aisp::jit {
namespace {

TEST(TunedFile, AFifoInItsPlaceIsRefusedAndNothingWaits) {
  const lab::TemporaryFolder folder;
  const auto path = folder.path() / "programs.txt";
  EXPECT_FALSE(TunedFile(path).find("key")) << "none is as good as an empty one";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const auto refusal = lab::refusal_of([&] { TunedFile{path}; });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_NE(std::string(refusal.what()).find("it is a FIFO"), std::string::npos) << refusal.what();
}

}  // namespace
}  // namespace aisp::jit
