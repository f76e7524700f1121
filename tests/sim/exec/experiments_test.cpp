// Every instruction test under forms/ and ptx/, on the simulator, in all three orders.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "tests/sim/support/simulator.hpp"

using namespace aisp;

namespace {

using testing::IsEmpty;

const std::filesystem::path folder =
    std::filesystem::path(AISP_SOURCE_DIR) / "tests/sim/instructions";

std::string device_for(const experiments::Experiment& experiment) {
  return experiment.sm.starts_with("10") ? "b200" : "h200";
}

void expect_right(const experiments::Experiment& experiment, const sim::Settings& settings) {
  const auto outcome = simulate(experiment, settings, device_for(experiment));
  ASSERT_EQ(outcome.failure, "") << experiment.name << "\n" << experiment.text;
  EXPECT_THAT(judge(experiment, outcome.out), IsEmpty());
}

class Forms : public testing::TestWithParam<std::filesystem::path> {};
TEST_P(Forms, GiveTheExpectedValues) {
  for (const auto& experiment : experiments::read_forms(GetParam()))
    expect_right(experiment, {.host_threads = 1});
}

class PtxFiles : public testing::TestWithParam<std::filesystem::path> {};
TEST_P(PtxFiles, GiveTheExpectedValuesInEveryOrder) {
  const auto experiment = experiments::read_ptx(GetParam());
  expect_right(experiment, {.order = sim::Order::earliest});
  expect_right(experiment, {.order = sim::Order::latest});
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    expect_right(experiment, {.order = sim::Order::random, .seed = seed, .host_threads = 1});
}

std::string test_name(const testing::TestParamInfo<std::filesystem::path>& info) {
  std::string name = (info.param.parent_path().filename() / info.param.stem()).string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Instructions, Forms,
                         testing::ValuesIn(experiments::files_under(folder / "forms", ".forms")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Instructions, PtxFiles,
                         testing::ValuesIn(experiments::files_under(folder / "ptx", ".ptx")),
                         test_name);

}  // namespace
