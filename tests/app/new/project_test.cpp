// Modules of a project, read from its CMakeLists.txt.
#include "app/new/project.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/files.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> read(const std::string& cmake) {
  std::vector<std::string> found;
  for (const auto& [name, targets] : modules_in(cmake, "/project"))
    found.push_back(name + " " + targets.string());
  return found;
}

TEST(NewProject, ReadsItsModules) {
  using List = std::vector<std::string>;
  EXPECT_EQ(read("aisp_add_targets(mine DIR targets)"), List{"mine /project/targets"});
  EXPECT_EQ(read("aisp_add_targets (\n  mine\n  DIR \"src/targets/\")"),
            List{"mine /project/src/targets"});
  EXPECT_EQ(read("aisp_add_targets(mine ARCHITECTURES 90a DIR ./t LINK x)"),
            List{"mine /project/t"});
  EXPECT_EQ(read("aisp_add_targets(mine DIR ${CMAKE_CURRENT_SOURCE_DIR}/t)"),
            List{"mine /project/t"});
  EXPECT_EQ(read("aisp_add_targets(mine DIR ${ELSEWHERE}/t)"), List{"mine "});
  EXPECT_EQ(read("aisp_add_targets(a DIR a)\naisp_add_targets(b DIR /b)"),
            (List{"a /project/a", "b /b"}));
  EXPECT_EQ(read("# aisp_add_targets(mine DIR targets)\nadd_library(x y)"), List{});
  EXPECT_EQ(read(""), List{});
}

TEST(NewProject, IsFoundFromAnyFolderInIt) {
  const lab::TemporaryFolder folder;
  const fs::path deep = folder.path() / "targets/axpy/more";
  fs::create_directories(deep);
  EXPECT_TRUE(modules_above(deep).empty());
  lab::write_text(folder.path() / "CMakeLists.txt", "aisp_add_targets(mine DIR targets)\n");
  lab::write_text(folder.path() / "targets/CMakeLists.txt", "# nothing of aisp\n");
  const auto modules = modules_above(deep);
  ASSERT_EQ(modules.size(), 1u);
  EXPECT_EQ(modules[0].targets, folder.path() / "targets");
  // Any folder above may be one that others write to.
  ASSERT_EQ(mkfifo((folder.path() / "targets/axpy/CMakeLists.txt").c_str(), 0600), 0);
  EXPECT_EQ(modules_above(deep).size(), 1u);
}

}  // namespace
}  // namespace aisp::app
