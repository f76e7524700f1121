#include <gtest/gtest.h>
#include <unistd.h>

#include "sim/watch/finding.hpp"
#include "tests/support/files.hpp"

namespace aisp::sim::watch {
namespace {

// The folder may be one that others write to, and the number of a process is no secret.
TEST(FindingFile, FollowsNoLinkThatIsPlantedBesideIt) {
  const lab::TemporaryFolder folder;
  const auto victim = folder.path() / "victim";
  const auto file = folder.path() / (std::to_string(::getpid()) + ".jsonl");
  lab::write_text(victim, "untouched");
  std::filesystem::create_symlink(victim, file.string() + ".part");
  Findings findings(folder.path().string());
  findings.write();
  EXPECT_EQ(lab::text_of(victim), "untouched");
  EXPECT_TRUE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace aisp::sim::watch
