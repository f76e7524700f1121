// `aisp new` as the user meets it: what is made, what is printed, what is refused.
#include <unistd.h>

#include <cstdlib>

#include "app/new/skeleton.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class New : public FixtureTest {
 protected:
  New() { fs::create_directories(folder() / "chapters/ch09"); }

  void expect_files(const fs::path& place, const std::vector<app::NewFile>& files) {
    for (const auto& file : files) EXPECT_EQ(text_of(place / file.path), file.text) << file.path;
  }
  // Beside the output of the programs and the folders that were there before.
  bool is_untouched() const {
    for (const auto& item : fs::recursive_directory_iterator(folder())) {
      const std::string name = item.path().filename();
      if (item.is_directory() ? name.starts_with(".") : !name.starts_with("output")) return false;
    }
    return true;
  }
};

TEST_F(New, ProjectIsWrittenAndExplained) {
  const auto outcome = run({"new", "project", "fast_math/"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  expect_files(folder() / "fast_math", app::project_files("fast_math", "axpy"));
  // Out of a build folder: the package is installed first.
  const std::string place = (folder() / "fast_math").string();
  EXPECT_TRUE(has(outcome.out, "cd " + place + "\ncmake --install ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, " --prefix " + place +
                                   "/build/aisp > /dev/null\ncmake -B build "
                                   "-DCMAKE_PREFIX_PATH=" +
                                   place + "/build/aisp"))
      << outcome.out;
  EXPECT_TRUE(has(outcome.out, fs::canonical(fixture_program()).string() +
                                   " check --load build/libfast_math.so --targets fast_math"))
      << outcome.out;
  EXPECT_FALSE(has(outcome.out, "<")) << outcome.out;
  EXPECT_TRUE(outcome.out.ends_with("ctest --test-dir build\n")) << outcome.out;
  EXPECT_EQ(run({"new", "project", "--target", "scale", "other"}).exit, 0);
  expect_files(folder() / "other", app::project_files("other", "scale"));
}

TEST_F(New, ProjectMayGoIntoAnEmptyFolder) {
  fs::create_directories(folder() / "deep/empty");
  EXPECT_EQ(run({"new", "project", "deep/empty"}).exit, 0);
  expect_files(folder() / "deep/empty", app::project_files("empty", "axpy"));
}

TEST_F(New, ProjectIsRefusedWhereSomethingIs) {
  fs::create_directory(folder() / "full");
  write_text(folder() / "full/output.txt", "theirs");
  write_text(folder() / "output_file", "theirs");
  expect_refused(run({"new", "project", "full"}), 2, "'full' is there and not empty");
  expect_refused(run({"new", "project", "output_file"}), 2, "is there and is no folder");
  expect_refused(run({"new", "project", "gone/mine"}), 4, "is no folder; make it first: mkdir -p");
  expect_refused(run({"new", "project", "/proc/mine"}), 4, "cannot write '/proc'");
  EXPECT_EQ(text_of(folder() / "full/output.txt"), "theirs");
  EXPECT_TRUE(is_untouched());
}

TEST_F(New, ProjectNeedsAName) {
  expect_refused(run({"new", "project"}), 2, "new project needs a folder");
  expect_refused(run({"new", "project", "a", "b"}), 2, "makes one, not 'a' and 'b'");
  expect_refused(run({"new", "project", "a", "--taget", "b"}), 2,
                 "new project has no option --taget; did you mean --target? see 'aisp new project");
  expect_refused(run({"new", "project", "a", "--target"}), 2, "--target needs a value");
  expect_refused(run({"new", "project", "ch09"}), 2, "'ch09' cannot name a module");
  expect_refused(run({"new", "project", "fx"}), 2, "'fx' cannot name a module: a chapter has it");
  expect_refused(run({"new", "project", "my-kernels"}), 2, "use for example my_kernels");
  expect_refused(run({"new", "project", "a", "--target", "b:c"}), 2, "'b:c' cannot name a target");
  expect_refused(run({"new", "project", "a", "--target", "later"}), 2, "is a name of fx:planned");
  expect_refused(run({"new", "projekt", "a"}), 2, "did you mean 'aisp new project'?");
  EXPECT_TRUE(is_untouched());
}

TEST_F(New, TargetGoesToItsChapter) {
  const auto outcome = run({"new", "target", "ch09:scale"});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  expect_files(folder() / "chapters/ch09/scale", app::chapter_target_files("ch09", "scale"));
  EXPECT_TRUE(has(outcome.out, "-DAISP_ONLY=ch09/scale ")) << outcome.out;
  EXPECT_TRUE(has(outcome.out, "build-one/bin/aisp check --targets ch09:scale\n")) << outcome.out;
  EXPECT_FALSE(has(outcome.out, "make format")) << outcome.out;
  const auto unformatted =
      run({"new", "target", "ch09:shift"}, [] { setenv("PATH", "/nowhere", 1); });
  EXPECT_TRUE(has(unformatted.out, "\n\nmake format\ncmake ")) << unformatted.out;
  expect_refused(run({"new", "target", "ch09:scale"}), 2, "chapters/ch09/scale' is there");
  // No two targets of the chapters share a name: their kernels would.
  fs::create_directories(folder() / "chapters/ch10");
  expect_refused(run({"new", "target", "ch10:scale"}), 2, "chapters/ch09/scale' is there");
}

TEST_F(New, TargetOfAChapterIsRefused) {
  expect_refused(run({"new", "target"}), 2, "new target needs chNN:name");
  expect_refused(run({"new", "target", "scale"}), 2, "does not say where; write chNN:scale");
  expect_refused(run({"new", "target", "ch08:scale"}), 2, "did you mean ch09? it has ch09");
  expect_refused(run({"new", "target", "ch09:"}), 2, "'' cannot name a target");
  expect_refused(run({"new", "target", "ch09:a:b"}), 2, "'a:b' cannot name a target");
  expect_refused(run({"new", "target", "ch09:all"}), 2, "means every target");
  expect_refused(run({"new", "target", "ch09:planned"}), 2, "fx:planned, which is planned");
  expect_refused(run({"new", "target", "ch09:afterwards"}), 2, "fx:planned, which is planned");
  expect_refused(run({"new", "target", "ch09:x", "--dir", "t"}), 2, "--dir is for a module's");
  const auto elsewhere = [this] { setenv("AISP_CHAPTERS", (folder() / "gone").c_str(), 1); };
  expect_refused(run({"new", "target", "ch09:x"}, elsewhere), 4, "there are no chapters in '");
  EXPECT_TRUE(is_untouched());
}

TEST_F(New, TargetGoesBesideTheOthersOfAProject) {
  ASSERT_EQ(run({"new", "project", "mine"}).exit, 0);
  const auto inside = [this] { EXPECT_EQ(chdir((folder() / "mine/targets/axpy").c_str()), 0); };
  const auto outcome = run({"new", "target", "mine:scale"}, inside);
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  expect_files(folder() / "mine/targets/scale", app::module_target_files("mine", "scale"));
  EXPECT_TRUE(has(outcome.out, "--load build/libmine.so --targets mine:scale\n")) << outcome.out;
  EXPECT_EQ(run({"new", "target", "mine:shift", "--dir", "mine/targets"}).exit, 0);
  expect_files(folder() / "mine/targets/shift", app::module_target_files("mine", "shift"));
  expect_refused(run({"new", "target", "mine:axpy"}, inside), 2, "is there and not empty");
  expect_refused(run({"new", "target", "yours:x"}, inside), 2, "no module 'yours'; it has mine");
  expect_refused(run({"new", "target", "mine:x"}), 2, "begin one: aisp new project mine");
  expect_refused(run({"new", "target", "mine:x", "--dir", "gone"}), 2, "--dir 'gone' is no folder");
}

}  // namespace
}  // namespace aisp::lab
