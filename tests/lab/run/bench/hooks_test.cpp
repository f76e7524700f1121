// What a rung does outside of its timed part must not produce its outputs.
#include <gtest/gtest.h>

#include <algorithm>

#include "lab/run/bench/bench.hpp"
#include "tests/fixtures/doubling.hpp"

namespace aisp::lab {
namespace {

using Result = std::shared_ptr<std::vector<float>>;

void compute(const Launch& launch, std::vector<float>& result) {
  result.assign(launch.in<float>(0), launch.in<float>(0) + launch.dim(0));
  for (float& value : result) value *= 2;
}
void copy_out(const Launch& launch, const std::vector<float>& result) {
  std::copy(result.begin(), result.end(), launch.out<float>(0));
}

// Each computes in a hook; what is timed copies, or does nothing.
Run in_before_each_run(Setup& setup) {
  const auto result = std::make_shared<std::vector<float>>();
  setup.before_each_run([result](const Launch& launch) { compute(launch, *result); });
  return [result](const Launch& launch) { copy_out(launch, *result); };
}
Run in_before_each_check(Setup& setup) {
  const auto result = std::make_shared<std::vector<float>>();
  setup.before_each_check([result](const Launch& launch) { compute(launch, *result); });
  return [result](const Launch& launch) { copy_out(launch, *result); };
}
Run in_collect(Setup& setup) {
  const auto poisoned = [](const Launch&) {};
  setup.own_outputs({.poison = poisoned, .collect = fixture::double_all});
  return [](const Launch&) {};
}
Run half_in_collect(Setup& setup) {
  const auto half = [](const Launch& launch) {
    const auto count = static_cast<std::size_t>(launch.dim(0) / 2);
    std::transform(launch.in<float>(0), launch.in<float>(0) + count, launch.out<float>(0),
                   [](float x) { return 2 * x; });
  };
  setup.own_outputs({.poison = [](const Launch&) {}, .collect = half});
  return fixture::double_all;
}
// An input that a run reads from a copy, as from a file: said so, it does not change behind the
// hook; not said, it does.
template <bool said>
Run reads_a_copy(Setup& setup) {
  const auto input = std::make_shared<std::vector<float>>();
  if (said) setup.stages_inputs({0});
  setup.before_each_run([input](const Launch& launch) {
    input->assign(launch.in<float>(0), launch.in<float>(0) + launch.dim(0));
  });
  return [input](const Launch& launch) {
    for (std::size_t i = 0; i < input->size(); ++i) launch.out<float>(0)[i] = 2 * (*input)[i];
  };
}

RungEntry entry(int step, const std::string& name, std::function<Run(Setup&)> prepare) {
  Rung rung = fixture::rung(name, step, fixture::double_all);
  rung.prepare = std::move(prepare);
  return {"fx:hooks", rung};
}

const TargetEntry target_entry{fixture::target("hooks", "work outside of the timed part")};
const RungEntry entries[] = {entry(0, "double", plain(fixture::double_all)),
                             entry(1, "before_each_run", in_before_each_run),
                             entry(2, "before_each_check", in_before_each_check),
                             entry(3, "collect", in_collect),
                             entry(4, "half_in_collect", half_in_collect),
                             entry(5, "staged", reads_a_copy<true>),
                             entry(6, "staged_in_silence", reads_a_copy<false>)};

RowRecord row_of(const std::string& rung, bool validate, L2Mode l2) {
  Job job;
  job.entry = {"fx:hooks/64", "fx:hooks", "", {64}, {rung}};
  job.rungs = {rung};
  job.l2 = l2;
  job.iterations = 6;
  job.warmup = 2;
  job.validate = validate;
  RowRecord row;
  const auto device = open_host_device();
  run_entry(*device, job,
            {[&](const Record& record) {
               if (const auto* found = std::get_if<RowRecord>(&record)) row = *found;
             },
             [](const Phase&) {}});
  return row;
}

class Hooks : public testing::TestWithParam<bool> {
 protected:
  void expect_wrong(const std::string& rung, const std::string& when, const std::string& why) {
    for (const L2Mode l2 : {L2Mode::hot, L2Mode::cold, L2Mode::rotate}) {
      const RowRecord row = row_of(rung, GetParam(), l2);
      EXPECT_EQ(name_of(row.status), "wrong") << rung;
      EXPECT_NE(row.reason.find("check " + when + " timing"), std::string::npos) << row.reason;
      EXPECT_NE(row.reason.find(why), std::string::npos) << row.reason;
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Of, Hooks, testing::Bool(),
                         [](const auto& info) { return info.param ? "ACheckedRun" : "ATimedRun"; });

TEST_P(Hooks, ThatComputeIntoMemoryOfTheirOwnAreFoundByAnInputThatChangesBehindThem) {
  expect_wrong("before_each_run", "after", "y: 1 of 64 wrong");
  expect_wrong("before_each_check", "after", "y: 1 of 64 wrong");
}

TEST_P(Hooks, ThatCollectWhatNoRunWroteAreFoundBeforeTheRun) {
  expect_wrong("collect", "before", "64 of 64 elements of its outputs are right before its run");
  expect_wrong("half_in_collect", "before", "32 of 64 elements of its outputs are right before");
}

TEST_P(Hooks, ThatOnlyMoveInputsSaySo) {
  const RowRecord row = row_of("staged", GetParam(), L2Mode::hot);
  EXPECT_EQ(name_of(row.status), GetParam() ? "checked" : "measured") << row.reason;
  expect_wrong("staged_in_silence", "after", "y: 1 of 64 wrong");
}

}  // namespace
}  // namespace aisp::lab
