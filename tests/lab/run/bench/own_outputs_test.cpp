// A rung whose library allocates its results: what the judge sees is what its last run wrote there,
// and what it costs to fetch that is in nobody's time.
#include <gtest/gtest.h>

#include <limits>

#include "lab/run/bench/bench.hpp"
#include "tests/fixtures/doubling.hpp"

namespace aisp::lab {
namespace {

struct Counts {
  int runs = 0, poisons = 0, collections = 0;
};
Counts counts;

// Doubles into memory of its own; `works` says whether a run writes anything at all.
std::function<Run(Setup&)> keeps_its_result(bool works) {
  return [=](Setup& setup) -> Run {
    auto result = std::make_shared<std::vector<float>>();
    const auto compute = [result](const Launch& launch) {
      result->assign(launch.in<float>(0), launch.in<float>(0) + launch.dim(0));
      for (float& value : *result) value *= 2;
    };
    setup.before_each_run([result, compute](const Launch& launch) {
      if (result->empty()) compute(launch);  // a library that warms up leaves right numbers behind
    });
    setup.own_outputs({.poison =
                           [=](const Launch&) {
                             ++counts.poisons;
                             result->assign(result->size(),
                                            std::numeric_limits<float>::quiet_NaN());
                           },
                       .collect =
                           [=](const Launch& launch) {
                             ++counts.collections;
                             std::copy(result->begin(), result->end(), launch.out<float>(0));
                           }});
    return [=](const Launch& launch) {
      ++counts.runs;
      if (works) compute(launch);
    };
  };
}

RungEntry entry(const std::string& name, int step, bool works) {
  Rung rung = fixture::rung(name, step, fixture::double_all);
  rung.prepare = keeps_its_result(works);
  return {"fx:own_outputs", rung};
}

const TargetEntry target_entry{fixture::target("own_outputs", "results in a library's memory")};
const RungEntry baseline{"fx:own_outputs", fixture::rung("double", 0, fixture::double_all)};
const RungEntry keeps = entry("keeps", 1, true);
const RungEntry idle = entry("idle", 2, false);

std::vector<Record> run(const std::string& rung, Timer timer = Timer::events) {
  counts = {};
  Job job;
  job.entry = {"fx:own_outputs/64", "fx:own_outputs", "", {64}, {"double", rung}};
  job.rungs = {"double", rung};
  job.l2 = L2Mode::hot;
  job.timer = timer;
  job.iterations = 6;
  job.warmup = 2;
  std::vector<Record> records;
  const auto device = open_host_device();
  run_entry(*device, job,
            {[&](const Record& record) { records.push_back(record); }, [](const Phase&) {}});
  return records;
}

RowRecord row_in(const std::vector<Record>& records, const std::string& rung) {
  for (const auto& record : records)
    if (const auto* row = std::get_if<RowRecord>(&record); row != nullptr && row->rung == rung)
      return *row;
  return {};
}

TEST(OwnOutputs, AreCollectedForTheJudgeAndForNobodyElse) {
  const auto row = row_in(run("keeps"), "keeps");
  EXPECT_EQ(name_of(row.status), "measured") << row.reason;
  EXPECT_EQ(counts.poisons, 2 * 3)
      << "before each check, one and then one of each set: to collect poison, and for the run";
  EXPECT_EQ(counts.collections, 2 * 3) << "after each of them";
  EXPECT_EQ(counts.runs, 3 + 2 + 6) << "checks, warm-up, samples";
}

TEST(OwnOutputs, WorkWithRecordedGraphsToo) {
  const auto row = row_in(run("keeps", Timer::graph), "keeps");
  EXPECT_EQ(name_of(row.status), "measured") << row.reason;
}

TEST(OwnOutputs, WhatARunDidNotWriteIsWrongThoughItWasRightBefore) {
  const auto records = run("idle");
  EXPECT_EQ(name_of(row_in(records, "idle").status), "wrong");
  EXPECT_NE(row_in(records, "idle").reason.find("check before timing"), std::string::npos);
  EXPECT_EQ(name_of(row_in(records, "double").status), "measured");
}

}  // namespace
}  // namespace aisp::lab
