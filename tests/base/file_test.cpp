#include "base/file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <set>

#include "base/temporary_file.hpp"
#include "tests/support/files.hpp"

namespace aisp::base {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  fs::path at(const std::string& name) const { return folder_.path() / name; }
  fs::path fifo() const {
    EXPECT_EQ(mkfifo(at("fifo").c_str(), 0600), 0);
    return at("fifo");
  }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
  }

 private:
  lab::TemporaryFolder folder_;
};

TEST_F(Files, RegularOnesAreReadAlsoThroughALink) {
  lab::write_text(at("file"), "text");
  fs::create_symlink(at("file"), at("link"));
  EXPECT_EQ(read_file(at("file")).text, "text");
  EXPECT_EQ(read_file(at("link")).text, "text");
  EXPECT_EQ(read_file(at("file"), 4).problem, "");
  EXPECT_EQ(read_file(at("file"), 3).problem, "it has 4 bytes, more than 3");
}

TEST_F(Files, OthersAreRefusedWithoutWaiting) {
  EXPECT_EQ(read_file(fifo()).problem, "it is a FIFO, not a regular file");
  EXPECT_EQ(read_file("/dev/zero").problem, "it is a device, not a regular file");
  EXPECT_EQ(read_file(at("")).problem, "Is a directory");
  const FileText none = read_file(at("none"));
  EXPECT_TRUE(none.missing);
  EXPECT_EQ(none.problem, "No such file or directory");
  EXPECT_EQ(open_to_append(at("fifo")).problem, "it is a FIFO, not a regular file");
  EXPECT_EQ(open_to_change(at("fifo")).problem, "it is a FIFO, not a regular file");
}

TEST_F(Files, WhatIsChangedIsNotBehindALink) {
  lab::write_text(at("file"), "text");
  fs::create_symlink(at("file"), at("link"));
  fs::create_symlink(at("new"), at("dangling"));
  for (const char* name : {"link", "dangling"}) {
    EXPECT_EQ(open_to_append(at(name)).problem, "it is a symbolic link, not a regular file");
    EXPECT_EQ(open_to_change(at(name)).problem, "it is a symbolic link, not a regular file");
  }
  EXPECT_FALSE(fs::exists(at("new")));
  const OpenedFile opened = open_to_append(at("file"));
  ASSERT_EQ(opened.problem, "");
  EXPECT_EQ(write(opened.file.get(), " more", 5), 5);
  EXPECT_EQ(lab::text_of(at("file")), "text more");
}

TEST_F(Files, ANameInAFileStaysBelowItsFolder) {
  for (const char* name : {"a", "a/b.json", "./a", "a..b/c", "..a"})
    EXPECT_TRUE(stays_below(name)) << name;
  for (const char* name : {"", "/etc/passwd", "..", "../a", "a/..", "a/../../b", "a/", "/"})
    EXPECT_FALSE(stays_below(name)) << name;
  fs::create_directories(at("run/traces"));
  lab::write_text(at("run/traces/own"), "own");
  lab::write_text(at("secret"), "secret");
  fs::create_symlink(at("secret"), at("run/traces/link"));
  fs::create_directory_symlink(at(""), at("run/out"));
  EXPECT_EQ(read_all(open_below(at("run"), "traces/own")).text, "own");
  EXPECT_EQ(open_below(at("run"), "traces/link").problem,
            "it is a symbolic link, not a regular file");
  EXPECT_EQ(open_below(at("run"), "out/secret").problem,
            "it is a symbolic link, not a regular file");
  EXPECT_EQ(open_below(at("run"), "../secret").problem, "it is not below " + at("run").string());
  EXPECT_TRUE(open_below(at("run"), "traces/none").missing);
}

TEST_F(Files, ATemporaryFileHasAnotherNameEachTime) {
  std::set<std::string> names;
  for (int i = 0; i < 100; ++i) names.insert(temporary_name("x"));
  EXPECT_EQ(names.size(), 100u);
  EXPECT_EQ(names.begin()->size(), std::string("x.0123456789abcdef.tmp").size());
}

TEST_F(Files, ATemporaryFileTakesItsPlaceOrIsGone) {
  lab::write_text(at("file"), "old");
  {
    TemporaryFile left(at("file"));
    left.write("half");
    EXPECT_EQ(count(), 2u);
  }
  EXPECT_EQ(count(), 1u);
  EXPECT_EQ(lab::text_of(at("file")), "old");
  EXPECT_EQ(replace_file(at("file"), "new"), "");
  EXPECT_EQ(lab::text_of(at("file")), "new");
  EXPECT_EQ(count(), 1u);
  EXPECT_EQ(replace_file(at("none/file"), "new"), "No such file or directory");
  EXPECT_EQ(replace_file(at(""), "new"), "Is a directory");
  EXPECT_EQ(replace_file(fifo(), "new"), "it is a FIFO, not a regular file");
}

}  // namespace
}  // namespace aisp::base
