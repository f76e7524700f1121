#include "app/cache/cache_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <sstream>

#include "base/home.hpp"
#include "jit/cache/store.hpp"
#include "tests/support/files.hpp"

namespace aisp::app {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

class CacheCommand : public testing::Test {
 protected:
  CacheCommand() {
    if (const char* home = base::environment("AISP_HOME")) before_ = home;
    setenv("AISP_HOME", files.path().c_str(), 1);
  }
  ~CacheCommand() override {
    if (before_.empty())
      unsetenv("AISP_HOME");
    else
      setenv("AISP_HOME", before_.c_str(), 1);
  }
  void keep(const std::string& kernel) {
    jit::Store store({});
    store.get(jit::sha256_of(kernel),
              [&] { return jit::Entry{.ptx = ".visible .entry " + kernel + "()\n{\n}\n"}; });
  }
  std::filesystem::path file(const std::string& kernel) const {
    return files.path() / "kernels" / jit::hex_of(jit::sha256_of(kernel));
  }
  int run(const std::string& word) {
    std::ostringstream out;
    const int code = cache_command({word}, out);
    said = out.str();
    return code;
  }

  lab::TemporaryFolder files;
  std::string said;

 private:
  std::string before_;
};

TEST_F(CacheCommand, ListsVerifiesAndClears) {
  EXPECT_EQ(run("list"), 0);
  EXPECT_THAT(said, HasSubstr("0 kernel texts, "));
  EXPECT_EQ(run("verify"), 0);
  keep("softmax");
  keep("norm");
  EXPECT_EQ(run("list"), 0);
  EXPECT_THAT(said, MatchesRegex("[0-9a-f]{12}  .*  20..-..-.. ..:..  norm\n[0-9a-f]{12}  .*  "
                                 "20..-..-.. ..:..  softmax\n2 kernel texts, .*, in .*/kernels\n"));
  EXPECT_EQ(run("verify"), 0);
  EXPECT_THAT(said, HasSubstr("2 good, 0 damaged, 0 put aside earlier"));
  EXPECT_EQ(run("clear"), 0);
  EXPECT_THAT(said, HasSubstr("removed 2 files, "));
  EXPECT_EQ(run("verify"), 0);
  EXPECT_THAT(said, HasSubstr("0 good"));
}

TEST_F(CacheCommand, VerifySaysWhatIsDamaged) {
  keep("softmax");
  keep("norm");
  std::string bytes = lab::text_of(file("norm"));
  bytes.back() ^= 1;
  lab::write_text(file("norm"), bytes);
  EXPECT_EQ(run("verify"), 3);
  EXPECT_THAT(said, HasSubstr(jit::hex_of(jit::sha256_of("norm")) + " section 1 is damaged\n"));
  EXPECT_THAT(said, HasSubstr("1 good, 1 damaged, 0 put aside earlier"));
  EXPECT_EQ(run("list"), 0);
  EXPECT_THAT(said, HasSubstr("damaged: section 1 is damaged"));
}

TEST_F(CacheCommand, RefusesAFolderThatOthersMayWrite) {
  keep("softmax");
  chmod((files.path() / "kernels").c_str(), 0777);
  for (const char* word : {"list", "verify", "clear"})
    EXPECT_EQ(lab::refusal_of([&] { run(word); }).exit(), base::Exit::environment);
  EXPECT_TRUE(std::filesystem::exists(file("softmax")));
}

TEST_F(CacheCommand, RefusesOtherWords) {
  EXPECT_STREQ(lab::refusal_of([&] { run("lst"); }).what(),
               "cache has no 'lst'; did you mean list? there are list, verify, clear");
  EXPECT_STREQ(lab::refusal_of([&] { run("--list"); }).what(),
               "cache has no option --list; see 'aisp cache --help'");
  EXPECT_EQ(lab::refusal_of([] { cache_command({}); }).exit(), base::Exit::usage);
}

}  // namespace
}  // namespace aisp::app
