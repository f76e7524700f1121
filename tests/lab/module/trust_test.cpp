// A run file says which modules it was made with. Loading one runs its code, so that a run file
// alone is not enough: the user has named the module before, or says that it is to be trusted.
#include "lab/module/trust.hpp"

#include <sys/stat.h>

#include "base/sha256.hpp"
#include "tests/lab/cli/program.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

class Trust : public FixtureTest {
 protected:
  // A run that somebody else made with a module of theirs, which this user has never loaded.
  void SetUp() override {
    fs::copy_file(std::string(AISP_MODULES) + "/libsteady.so", module());
    ASSERT_EQ(run(bench("steady:good") + briefly + Words{"--load", module().string()}).exit, 0);
    ASSERT_TRUE(fs::exists(notes()));
    fs::rename(notes(), folder() / "their notes");
  }
  fs::path module() const { return folder() / "libsteady.so"; }
  fs::path notes() const { return folder() / "home" / "modules"; }
  Words resume() const { return {"bench", "run", "--resume", run_folder().string()}; }

  static constexpr const char* unknown = "which you have not given to --load as it is now";
};

TEST_F(Trust, ARunDoesNotLoadWhatTheUserHasNotNamed) {
  const std::string before = text_of(run_folder() / "run.jsonl");
  const auto outcome = run(resume());
  expect_refused(outcome, 2, unknown);
  EXPECT_NE(outcome.err.find("--trust-library"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(module().string()), std::string::npos) << outcome.err;
  EXPECT_EQ(text_of(run_folder() / "run.jsonl"), before);
}

TEST_F(Trust, NothingOfItRunsBeforeItIsRefused) {
  // Its constructors end the process with exit code 5 as soon as it is loaded.
  const std::string bytes = text_of(std::string(AISP_MODULES) + "/libexiting.so");
  std::string journal = text_of(run_folder() / "run.jsonl");
  const std::string old = base::hex_of(base::sha256_of(text_of(module())));
  write_text(module(), bytes);
  journal.replace(journal.find(old), old.size(), base::hex_of(base::sha256_of(bytes)));
  write_text(run_folder() / "run.jsonl", journal);
  expect_refused(run(resume()), 2, unknown);
  EXPECT_EQ(run(resume() + Words{"--trust-library"}).exit, 5) << "it was the user's word";
}

TEST_F(Trust, TheUsersWordIsEnoughOnceAndLoadForLater) {
  EXPECT_EQ(run(resume() + Words{"--trust-library"}).exit, 0);
  expect_refused(run(resume()), 2, unknown);
  EXPECT_EQ(run(resume() + Words{"--load", module().string()}).exit, 0);
  EXPECT_EQ(run(resume()).exit, 0);
  // Under another name it is the same file.
  fs::create_symlink(module(), folder() / "link.so");
  std::string journal = text_of(run_folder() / "run.jsonl");
  const std::string file = "\"" + module().string() + "\"";
  journal.replace(journal.find(file, journal.find("\"modules\"")), file.size(),
                  "\"" + (folder() / "link.so").string() + "\"");
  write_text(run_folder() / "run.jsonl", journal);
  EXPECT_EQ(run(resume()).exit, 0);
}

TEST_F(Trust, ANoteThatOthersCouldHaveWrittenSaysNothing) {
  fs::rename(folder() / "their notes", notes());
  EXPECT_EQ(run(resume()).exit, 0);
  const fs::path note = fs::directory_iterator(notes())->path();
  EXPECT_EQ(fs::status(note).permissions(), fs::perms(0600));
  fs::permissions(note, fs::perms(0666));
  expect_refused(run(resume()), 2, unknown);
  fs::permissions(note, fs::perms(0600));
  std::string text = text_of(note);
  text[20] = text[20] == '0' ? '1' : '0';
  write_text(note, text);
  expect_refused(run(resume()), 2, unknown);
  fs::remove(note);
  ASSERT_EQ(mkfifo(note.c_str(), 0600), 0);
  expect_refused(run(resume()), 2, unknown);
}

TEST_F(Trust, IsForRunsThatGoOn) {
  expect_refused(run(bench("fx:good") + Words{"--trust-library"}), 2, "give --resume RUN too");
}

}  // namespace
}  // namespace aisp::lab
