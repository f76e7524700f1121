#include "tile/device/gemm/tuned.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "lab/run/plan/build_info.hpp"
#include "tests/support/files.hpp"

namespace aisp::tile::device {
namespace {

using lab::refusal_of;
using lab::TemporaryFolder;

const TunedDevice h200{.name = "NVIDIA H200", .multiprocessors = 132, .driver = 13000};

const std::string head =
    "aisp-tuned 1\ndevice NVIDIA H200\nmultiprocessors 132\ndriver 13000\nlibrary 0.2.0\n";
const std::string line =
    "gemm m=4096 n=2048 k=8192 batch=1 a=e4m3,k b=e4m3,mn d=bf16,k recipe=pingpong_128x256 "
    "raster=m8 splits=2 us=356.125\n";

const GemmKey key{4096,
                  2048,
                  8192,
                  1,
                  {Element::e4m3, Major::k},
                  {Element::e4m3, Major::mn},
                  {Element::bf16, Major::k}};

std::string line_of(const TunedChoice& choice) {
  return base::say(choice.recipe, ' ', text_of(choice.raster), ' ', choice.splits, ' ',
                   choice.microseconds);
}

TEST(Tuned, ReadsAndWritesTheSameText) {
  const TunedTable table = parse_tuned(head + line, h200, "file");
  ASSERT_NE(table.find(key), nullptr);
  const TunedChoice& choice = *table.find(key);
  EXPECT_EQ(choice.recipe, "pingpong_128x256");
  EXPECT_EQ(text_of(choice.raster), "m8");
  EXPECT_EQ(choice.splits, 2);
  EXPECT_EQ(choice.microseconds, 356.125);
  EXPECT_EQ(table.find({.m = 1, .n = 1, .k = 1}), nullptr);
  EXPECT_EQ(to_text(table), head + line);
  EXPECT_TRUE(parse_tuned(head, h200, "file").gemm.empty());
}

TEST(Tuned, RecipesOfEarlierVersionsHaveTodaysNames) {
  const std::string before =
      "gemm m=1 n=1 k=1 batch=1 a=bf16,k b=bf16,k d=bf16,k recipe=umma_256x128_pair raster=m8 "
      "splits=1 us=1.000\n";
  const TunedTable table = parse_tuned(head + before + line, h200, "file");
  ASSERT_NE(table.find({.m = 1, .n = 1, .k = 1}), nullptr);
  EXPECT_EQ(table.find({.m = 1, .n = 1, .k = 1})->recipe, "tcgen05_256x128_pair");
  EXPECT_EQ(table.find(key)->recipe, "pingpong_128x256");
}

TEST(Tuned, AnyTableComesBack) {
  std::mt19937 random(7);
  const auto below = [&](int end) { return static_cast<int>(random() % end); };
  const auto operand = [&] {
    return TunedOperand{static_cast<Element>(below(8)), static_cast<Major>(below(2))};
  };
  const auto raster = [&] {
    const auto along = static_cast<Raster::Along>(below(3));
    return Raster{along, along == Raster::Along::hilbert ? 1 : 1 + below(64)};
  };
  for (int round = 0; round < 50; ++round) {
    TunedTable table{h200, {}};
    for (int i = below(20); i >= 0; --i)
      table.gemm[{1 + below(1 << 20), 1 + below(9), 1 + below(1 << 30), 1 + below(3), operand(),
                  operand(), operand()}] = {base::say("recipe_", below(9)), raster(), 1 + below(8),
                                            (1 + below(1 << 20)) / 8.0};
    const TunedTable again = parse_tuned(to_text(table), h200, "file");
    EXPECT_EQ(to_text(again), to_text(table));
    EXPECT_EQ(again.gemm.size(), table.gemm.size());
    for (const auto& [at, choice] : table.gemm) {
      ASSERT_NE(again.find(at), nullptr);
      EXPECT_EQ(line_of(*again.find(at)), line_of(choice));
    }
  }
}

TEST(Tuned, TheKeyOfAProblemLeavesPointersAndFactorsOut) {
  GemmProblem problem{.m = 4096, .n = 2048, .k = 8192};
  problem.a.element = problem.b.element = Element::e4m3;
  problem.b.major = Major::mn;
  problem.a.stride = 9000;
  problem.alpha = 3;
  EXPECT_EQ(key_of(problem), key);
}

TEST(Tuned, WhatIsWrongIsSaidWithFileLineAndWayOut) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = head + line;
    return text.replace(text.find(from), from.size(), to);
  };
  struct Wrong {
    std::string text, message;
  };
  for (const auto& [text, message] :
       {Wrong{"", "line 1: 'aisp-tuned 1' belongs where '' stands"},
        Wrong{"{}", "line 1: 'aisp-tuned 1' belongs where '{}' stands"},
        Wrong{with("tuned 1", "tuned 2"), "line 1: 'aisp-tuned 1' belongs where 'aisp-tuned 2'"},
        Wrong{with("H200", "H100"), "line 2: 'device NVIDIA H200'"},
        Wrong{with("13000", "12080"), "line 4: 'driver 13000' belongs where 'driver 12080' stands"},
        Wrong{with("library 0.2.0\n", ""), "line 5: 'library 0.2.0' belongs where 'gemm m=4096"},
        Wrong{with("gemm", "gemv"), "line 6: 'gemm' belongs where 'gemv m=4096"},
        Wrong{with("\ngemm", "\n\ngemm"), "line 6: 'gemm' belongs where '' begins"},
        Wrong{with("n=2048 ", ""), "line 6: 'n=' with a value belongs where 'k=8192' stands"},
        Wrong{with("n=2048", "n="), "'n=' with a value belongs where 'n=' stands"},
        Wrong{with("n=2048", "n=-1"), "'-1' is no n"},
        Wrong{with("n=2048", "n=9x"), "'9x' is no n"},
        Wrong{with("n=2048", "n=99999999999999999999"), "is no n"},
        Wrong{with("us=356.125", "us=nan"), "'nan' is no us"},
        Wrong{with("us=356.125", "us=inf"), "'inf' is no us"},
        Wrong{with("raster=m8", "raster=m0"), "'m0' is no raster; write m8, n8 or hilbert"},
        Wrong{with("raster=m8", "raster=k8"), "'k8' is no raster"},
        Wrong{with("raster=m8", "raster=8"), "'8' is no raster"},
        Wrong{with("e4m3,mn", "e4m4,mn"), "'e4m4,mn' is no operand b; write it like bf16,k"},
        Wrong{with("e4m3,mn", "e4m3"), "'e4m3' is no operand b"},
        Wrong{with("e4m3,mn", "e4m3,n"), "'e4m3,n' is no operand b"},
        Wrong{with(".125", ".125 and"), "nothing may follow, and 'and' does"},
        Wrong{head + line + line, "line 7: this product has a line already"},
        Wrong{(head + line).substr(0, (head + line).size() - 2), "line 6: the line has no end"}}) {
    const auto refusal = refusal_of([&] { parse_tuned(text, h200, "/a/b.txt"); });
    const std::string said = refusal.what();
    EXPECT_EQ(refusal.exit(), base::Exit::environment);
    EXPECT_TRUE(said.starts_with("/a/b.txt, line ")) << said;
    EXPECT_NE(said.find(message), std::string::npos) << said << "\n  wanted: " << message;
    EXPECT_TRUE(said.ends_with("delete the file and run `aisp tune gemm` again")) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
}

// Every file that an interrupted copy or an editor may leave is read right or refused.
TEST(Tuned, NoPrefixOfAFileIsMistakenForAnother) {
  const std::string whole = head + line + "gemm m=5" + line.substr(8);
  const TunedTable all = parse_tuned(whole, h200, "file");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    try {
      for (const auto& [at, choice] : parse_tuned(whole.substr(0, length), h200, "file").gemm)
        EXPECT_EQ(line_of(*all.find(at)), line_of(choice)) << length;
    } catch (const base::Refusal&) {
      continue;
    }
  }
}

TEST(Tuned, FilesAreFoundByDeviceDriverAndLibrary) {
  const TemporaryFolder folder;
  ::setenv("AISP_HOME", folder.path().c_str(), 1);
  const auto path = tuned_path(h200);
  EXPECT_EQ(path, folder.path() / "tuned" / "NVIDIA_H200-132-13000-0.2.0.txt");
  EXPECT_TRUE(read_tuned(path, h200).gemm.empty());

  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << head << line;
  EXPECT_EQ(read_tuned(path, h200).gemm.size(), 1u);

  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  const auto refusal = refusal_of([&] { read_tuned(path, h200); });
  EXPECT_EQ(refusal.exit(), base::Exit::environment);
  EXPECT_TRUE(std::string(refusal.what()).starts_with("cannot read " + path.string()));

  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_TRUE(std::string(refusal_of([&] { read_tuned(path, h200); }).what())
                  .starts_with("cannot read " + path.string() + ": it is a FIFO"));
}

TEST(Tuned, TheLibraryHasTheVersionOfTheProject) { EXPECT_EQ(library_version, lab::version); }

}  // namespace
}  // namespace aisp::tile::device
