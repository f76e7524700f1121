// The rungs that run in Python: known libraries, and a clear word on the simulator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "base/refuse.hpp"
#include "lab/case/library.hpp"
#include "lab/case/registry.hpp"
#include "tests/support/files.hpp"

using namespace aisp;

namespace {

// Python must not even start: a simulated device cannot run machine code.
class OnTheSimulator : public lab::Setup {
 public:
  const lab::Problem& problem() const override { throw std::logic_error("asked for the problem"); }
  void* scratch(std::size_t) override { throw std::logic_error("asked for memory"); }
  int multiprocessors() const override { return 132; }
  bool simulated() const override { return true; }
};

template <class Check>
int for_each_python_rung(const Check& check) {
  int rungs = 0;
  for (const auto& target : lab::all_targets())
    for (const auto& rung : lab::rungs_of(target)) {
      if (rung.library != "PyTorch" && rung.library != "Triton") continue;
      ++rungs;
      check(target, rung);
    }
  return rungs;
}

TEST(PythonRungs, ArePeersOnLibrariesThatAnnounceThemselves) {
  const int rungs = for_each_python_rung([](const lab::Target& target, const lab::Rung& rung) {
    EXPECT_TRUE(rung.peer) << target.id() << ' ' << rung.name;
    EXPECT_THAT(lab::library_names(), testing::Contains(rung.library)) << rung.name;
  });
  EXPECT_GE(rungs, 22);
}

TEST(PythonRungs, StandBesideTheTilePrograms) {
  std::vector<std::string> names;
  for_each_python_rung([&](const lab::Target& target, const lab::Rung& rung) {
    if (target.id() == "ch09:tile_program") names.push_back(rung.name);
  });
  EXPECT_THAT(names, testing::UnorderedElementsAre("torch_eager", "torch_compile", "triton"));
}

TEST(PythonRungs, RefuseTheSimulatorBeforeTheyDoAnything) {
  OnTheSimulator setup;
  for_each_python_rung([&](const lab::Target& target, const lab::Rung& rung) {
    try {
      rung.prepare(setup);
      ADD_FAILURE() << target.id() << ' ' << rung.name << " was prepared";
    } catch (const base::Refusal& refusal) {
      EXPECT_STREQ(refusal.what(),
                   "PyTorch and Triton need a GPU: machine code alone cannot run on the simulator");
    }
  });
}

// Without a GPU no peer is called: a name that its file does not have would show on one machine
// only.
TEST(PythonRungs, NameFunctionsThatTheirFilesHave) {
  const std::filesystem::path folder = AISP_SOURCE_DIR "/peers/python";
  const std::regex named("\"([a-z_0-9]+)\\.([a-z_0-9]+)\"");
  int names = 0;
  for (const char* ladder : {"ladders.cpp", "conv_ladders.cpp", "flex_ladders.cpp"}) {
    const std::string text = lab::text_of(folder / ladder);
    for (std::sregex_iterator at(text.begin(), text.end(), named), end; at != end; ++at, ++names) {
      const std::string source = lab::text_of(folder / ((*at)[1].str() + ".py"));
      EXPECT_THAT(source,
                  testing::HasSubstr("\ndef " + (*at)[2].str() + "(problem, inputs, outputs)"))
          << (*at)[0];
      EXPECT_THAT(source, testing::HasSubstr("\ndef version_note(peer)")) << (*at)[0];
    }
  }
  EXPECT_GE(names, 14);
}

TEST(PythonRungs, EachLibraryIsThereOrSaysWhyNotAndHow) {
  for (const char* name : {"Python", "PyTorch", "Triton"}) {
    const auto& state = lab::library_state(name);
    EXPECT_NE(state.found.empty(), state.missing.empty()) << name;
    EXPECT_EQ(state.missing.empty(), state.remedy.empty()) << name;
    EXPECT_THAT(state.missing + state.found, testing::Not(testing::HasSubstr("\n"))) << name;
  }
}

}  // namespace
