// The files of a new project are those of examples/own_targets, whatever that holds.
#include "app/new/skeleton.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>

#include "tests/support/files.hpp"

namespace aisp::app {
namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> as_map(const std::vector<NewFile>& files) {
  std::map<std::string, std::string> texts;
  for (const auto& file : files)
    EXPECT_TRUE(texts.emplace(file.path, file.text).second) << file.path;
  return texts;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// What a build or a run left in the example is none of its files.
bool is_left_behind(const std::string& path) {
  return path.starts_with("build") || path.starts_with("runs") || has(path, "expectations_");
}

TEST(Skeleton, IsTheExampleByteForByte) {
  const fs::path example = fs::path(AISP_SOURCE_DIR) / "examples/own_targets";
  const auto made = as_map(project_files("mine", "axpy"));
  std::set<std::string> of_example;
  for (const auto& item : fs::recursive_directory_iterator(example)) {
    const std::string path = fs::relative(item.path(), example);
    if (item.is_directory() || is_left_behind(path)) continue;
    of_example.insert(path);
    ASSERT_TRUE(made.contains(path)) << path << ": not in the program; see app/CMakeLists.txt";
    EXPECT_EQ(made.at(path), lab::text_of(item.path())) << path;
  }
  EXPECT_EQ(of_example.size(), made.size());
}

TEST(Skeleton, HasTheNewNamesAndNoOldOne) {
  const auto made = as_map(project_files("fast_math", "soft_max"));
  const std::set<std::string> wanted{".gitignore",
                                     "CMakeLists.txt",
                                     "README.md",
                                     "targets/soft_max/README.md",
                                     "targets/soft_max/case.cpp",
                                     "targets/soft_max/four_each.cu",
                                     "targets/soft_max/one_each.cu",
                                     "targets/soft_max/soft_max.hpp"};
  std::set<std::string> paths;
  for (const auto& [path, text] : made) {
    paths.insert(path);
    EXPECT_FALSE(has(text, "mine")) << path;
    EXPECT_FALSE(has(text, "axpy")) << path;
  }
  EXPECT_EQ(paths, wanted);
  EXPECT_TRUE(has(made.at("CMakeLists.txt"), "aisp_add_targets(fast_math DIR targets)"));
  EXPECT_TRUE(has(made.at("README.md"), "--load build/libfast_math.so --targets fast_math"));
  EXPECT_TRUE(
      has(made.at("targets/soft_max/one_each.cu"), "RungEntry entry{\"fast_math:soft_max\""));
  EXPECT_TRUE(has(made.at("targets/soft_max/case.cpp"), "fast_math::soft_max_factor"));
}

TEST(Skeleton, TakesEachWordOnce) {
  // The names of one are those of the other in the example.
  const auto made = as_map(project_files("axpy", "mine"));
  EXPECT_TRUE(has(made.at("CMakeLists.txt"), "aisp_add_targets(axpy DIR targets)"));
  EXPECT_TRUE(has(made.at("targets/mine/mine.hpp"), "namespace axpy {"));
  EXPECT_TRUE(has(made.at("targets/mine/mine.hpp"), "mine_factor"));
}

TEST(Skeleton, OfAModuleIsTheTargetsFolder) {
  const auto project = as_map(project_files("mine", "scale"));
  for (const auto& [path, text] : as_map(module_target_files("mine", "scale")))
    EXPECT_EQ(text, project.at("targets/scale/" + path)) << path;
  EXPECT_EQ(module_target_files("mine", "scale").size(), 5u);
}

TEST(Skeleton, OfAChapterHasTheTreesConventions) {
  const auto made = as_map(chapter_target_files("ch09", "scale"));
  EXPECT_EQ(made.size(), 5u);
  for (const std::string path : {"case.cpp", "one_each.cu", "four_each.cu"}) {
    const std::string& text = made.at(path);
    EXPECT_TRUE(has(text, "#include \"chapters/ch09/scale/scale.hpp\"\n")) << path;
    EXPECT_FALSE(has(text, "#include \"scale.hpp\"")) << path;
    EXPECT_TRUE(has(text, "ch09::scale_")) << path;
  }
  // Sorted, as the house format has it.
  EXPECT_TRUE(has(made.at("case.cpp"),
                  "#include \"base/refuse.hpp\"\n#include \"chapters/ch09/scale/scale.hpp\"\n"
                  "#include \"lab/case/registry.hpp\"\n"));
  EXPECT_TRUE(has(made.at("scale.hpp"), "namespace aisp::ch09 {\n"));
  EXPECT_TRUE(has(made.at("scale.hpp"), "}  // namespace aisp::ch09\n"));
  EXPECT_TRUE(has(made.at("README.md"), "aisp bench run --targets ch09:scale --summaries"));
  for (const auto& [path, text] : made) {
    EXPECT_FALSE(has(text, "--load")) << path;
    EXPECT_FALSE(has(text, "mine")) << path;
    EXPECT_FALSE(has(text, "axpy")) << path;
  }
}

TEST(Skeleton, CommandsAreThoseOfThePage) {
  EXPECT_EQ(commands_of("text\n\n```\none\ntwo\n```\n\n```\nthree\n```\n"), "one\ntwo\n");
  EXPECT_EQ(commands_of("text"), "");
}

}  // namespace
}  // namespace aisp::app
