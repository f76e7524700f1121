// What the steps of a run hand to each other: before a check none of it may hold values of an
// earlier run, and what has to outlive a run must.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "lab/judge/poison.hpp"
#include "lab/run/bench/bench.hpp"
#include "tests/fixtures/doubling.hpp"

namespace aisp::lab {
namespace {

std::size_t bytes_of(const Setup& setup) {
  return static_cast<std::size_t>(setup.problem().inputs.at(0).bytes());
}

// The two steps of a run: between = 2 x, and out = between.
void first_step(const Launch& launch, float* between) {
  for (std::int64_t i = 0; i < launch.dim(0); ++i) between[i] = 2 * launch.in<float>(0)[i];
}
void second_step(const Launch& launch, const float* between) {
  std::copy_n(between, launch.dim(0), launch.out<float>(0));
}

// `early`: the second step does not wait for the first. Before every run the first runs alone, as
// a rung does that also wants to know its time, so that an early one finds right values.
Run in_two_steps(Setup& setup, float* between, bool early) {
  setup.before_each_run([=](const Launch& launch) { first_step(launch, between); });
  return [=](const Launch& launch) {
    if (early) second_step(launch, between);
    first_step(launch, between);
    if (!early) second_step(launch, between);
  };
}

std::function<Run(Setup&)> through_scratch(bool early) {
  return [=](Setup& setup) {
    return in_two_steps(setup, static_cast<float*>(setup.scratch(bytes_of(setup))), early);
  };
}

int own_fills = 0;

std::function<Run(Setup&)> through_own_memory(bool early) {
  return [=](Setup& setup) {
    const std::shared_ptr<void> own(std::malloc(bytes_of(setup)), std::free);
    setup.before_each_check([own, bytes = bytes_of(setup)](const Launch&) {
      ++own_fills;
      std::memset(own.get(), poison_byte, bytes);
    });
    return in_two_steps(setup, static_cast<float*>(own.get()), early);
  };
}

// A factor that is written once and read by every run.
std::function<Run(Setup&)> with_table(void* (*get)(Setup&)) {
  return [get](Setup& setup) -> Run {
    auto* factor = static_cast<float*>(get(setup));
    *factor = 2;
    return [factor](const Launch& launch) {
      for (std::int64_t i = 0; i < launch.dim(0); ++i)
        launch.out<float>(0)[i] = *factor * launch.in<float>(0)[i];
    };
  };
}

void* kept_table(Setup& setup) { return setup.kept(sizeof(float), "a factor written once"); }
void* scratch_table(Setup& setup) { return setup.scratch(sizeof(float)); }
void* table_without_reason(Setup& setup) { return setup.kept(sizeof(float), ""); }

RungEntry entry(int step, const std::string& name, std::function<Run(Setup&)> prepare) {
  Rung rung = fixture::rung(name, step, fixture::double_all);
  rung.prepare = std::move(prepare);
  return {"fx:scratch", rung};
}

const TargetEntry target_entry{fixture::target("scratch", "two steps and what is between them")};
const RungEntry baseline{"fx:scratch", fixture::rung("double", 0, fixture::double_all)};
const RungEntry entries[] = {entry(1, "scratch", through_scratch(false)),
                             entry(2, "scratch_early", through_scratch(true)),
                             entry(3, "own", through_own_memory(false)),
                             entry(4, "own_early", through_own_memory(true)),
                             entry(5, "kept_table", with_table(kept_table)),
                             entry(6, "scratch_table", with_table(scratch_table)),
                             entry(7, "no_reason", with_table(table_without_reason))};

RowRecord row_of(const std::string& rung) {
  own_fills = 0;
  Job job;
  job.entry = {"fx:scratch/64", "fx:scratch", "", {64}, {rung}};
  job.rungs = {rung};
  job.l2 = L2Mode::hot;
  job.iterations = 6;
  job.warmup = 2;
  RowRecord row;
  const auto device = open_host_device();
  run_entry(*device, job,
            {[&](const Record& record) {
               if (const auto* found = std::get_if<RowRecord>(&record)) row = *found;
             },
             [](const Phase&) {}});
  return row;
}

void expect_wrong_before_timing(const RowRecord& row) {
  EXPECT_EQ(name_of(row.status), "wrong") << row.rung;
  EXPECT_NE(row.reason.find("check before timing"), std::string::npos) << row.reason;
}

TEST(Scratch, StepsInOrderAreRight) {
  EXPECT_EQ(name_of(row_of("scratch").status), "measured");
  EXPECT_EQ(name_of(row_of("own").status), "measured");
  EXPECT_EQ(own_fills, 3)
      << "before each check, two of them behind the samples, and before no timed run";
}

TEST(Scratch, AStepThatDoesNotWaitFindsNoRightValues) {
  expect_wrong_before_timing(row_of("scratch_early"));
  expect_wrong_before_timing(row_of("own_early"));
}

TEST(Scratch, WhatOutlivesARunIsKeptAndSaysWhy) {
  EXPECT_EQ(name_of(row_of("kept_table").status), "measured");
  expect_wrong_before_timing(row_of("scratch_table"));
  const auto row = row_of("no_reason");
  EXPECT_EQ(name_of(row.status), "failed");
  EXPECT_NE(row.reason.find("what outlives a run"), std::string::npos) << row.reason;
}

}  // namespace
}  // namespace aisp::lab
