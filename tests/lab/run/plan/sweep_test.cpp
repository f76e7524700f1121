// From axes to points: which extents a point has, and what is refused before anything runs.
#include "lab/run/plan/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refuse.hpp"
#include "lab/case/registry.hpp"
#include "lab/run/plan/plan.hpp"

namespace aisp::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Tokens are shared out over the batch: B = 64 / S unless B is swept.
Target shared_out() {
  Target made;
  made.chapter = "swept";
  made.name = "shared_out";
  made.aliases = {{"swept_wide", "wide"}};
  made.axes = {"B", "S", "D"};
  made.variants = {"narrow", "wide"};
  made.full = {{"narrow", {4, 16, 64}}, {"narrow", {1, 1, 1}}, {"wide", {4, 16, 256}}};
  made.quick = {{"narrow", {2, 8, 8}}, {"wide", {2, 8, 16}}};
  made.complete = [](Size& size, const std::vector<bool>& given) {
    if (given.at(0)) return;
    if (size.dims[1] > 64) base::refuse(base::Exit::usage, size.dims[1], " is more than 64 tokens");
    size.dims[0] = 64 / size.dims[1];
  };
  made.problem = [](const Size& size) {
    if (size.dims[2] % 8 != 0)
      base::refuse(base::Exit::usage, "D must be a multiple of 8: got ", size.dims[2]);
    return Problem{.size = size,
                   .flops = static_cast<double>(size.dims[1]),
                   .bytes = static_cast<double>(size.dims[0]),
                   .unit = Unit::matrix_bf16};
  };
  return made;
}

Rung rung(const std::string& name, int step, bool peer = false) {
  Rung made;
  made.name = name;
  made.step = step;
  made.peer = peer;
  made.needs = Needs::host;
  made.prepare = plain(+[](const Launch&) {});
  return made;
}

Target launch() {
  Target made;
  made.chapter = "roof";
  made.name = "launch";
  made.axes = {"elements"};
  made.full = made.quick = {{"", {1}}};
  made.problem = [](const Size& size) { return Problem{.size = size}; };
  return made;
}

const TargetEntry swept{shared_out()};
const RungEntry first{"swept:shared_out", rung("first", 0)};
const RungEntry second{"swept:shared_out", rung("second", 1)};
const RungEntry theirs{"swept:shared_out", rung("theirs", 0, true)};
const TargetEntry roof{launch()};
const RungEntry one{"roof:launch", rung("one_thread", 0)};

SweepPlan plan(const std::vector<std::string>& axes, const std::string& target = "shared_out",
               const std::string& variant = "", bool quick = false) {
  return plan_sweep({.target = target, .variant = variant, .axes = axes}, quick);
}

std::vector<std::string> labels(const SweepPlan& plan) {
  std::vector<std::string> all;
  for (const auto& point : plan.points) all.push_back(point.size.label());
  return all;
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const base::Refusal& refusal) {
    EXPECT_EQ(refusal.exit(), base::Exit::usage);
    return refusal.what();
  }
  return "accepted";
}

TEST(PlanSweep, WhatIsNotSweptIsTheFirstSizesOrFollows) {
  EXPECT_THAT(labels(plan({"S=8:32:x2"})),
              ElementsAre("narrow 8x8x64", "narrow 4x16x64", "narrow 2x32x64"));
  EXPECT_THAT(labels(plan({"S=8", "B=1,2"})), ElementsAre("narrow 1x8x64", "narrow 2x8x64"));
  EXPECT_THAT(labels(plan({"D=8,16"}, "shared_out", "", true)),
              ElementsAre("narrow 8x8x8", "narrow 8x8x16"));
}

TEST(PlanSweep, OneVariantByOptionOrAlias) {
  EXPECT_THAT(labels(plan({"S=8"}, "swept:shared_out", "wide")), ElementsAre("wide 8x8x256"));
  EXPECT_THAT(labels(plan({"S=8"}, "swept_wide")), ElementsAre("wide 8x8x256"));
  EXPECT_EQ(refusal([] { plan({"S=8"}, "shared_out", "huge"); }),
            "swept:shared_out has no variant 'huge'; it has narrow, wide");
  EXPECT_EQ(refusal([] { plan({"S=8"}, "swept_wide", "narrow"); }),
            "'swept_wide' is variant wide of swept:shared_out, and --variant says narrow");
  EXPECT_EQ(refusal([] { plan({"elements=1"}, "roof:launch", "x"); }),
            "roof:launch has no variants, and so none called 'x'; leave --variant out");
}

TEST(PlanSweep, PointsCarryTheirWorkOrWhyTheyAreRefused) {
  const auto points = plan({"S=16,128", "D=64,60"}).points;
  ASSERT_EQ(points.size(), 4u);
  EXPECT_EQ(points[0].refused, "D must be a multiple of 8: got 60");
  EXPECT_EQ(points[1].refused, "");
  EXPECT_EQ(points[1].flops, 16);
  EXPECT_EQ(points[1].bytes, 4);
  EXPECT_EQ(points[1].unit, Unit::matrix_bf16);
  EXPECT_EQ(points[2].refused, "128 is more than 64 tokens");
  EXPECT_THAT(points[1].values, ElementsAre(16, 64));
  const auto large = plan({"S=8", "D=8,4611686018427387904"}).points;
  EXPECT_THAT(large[1].refused, HasSubstr("multiplies to more than 2^50 elements"));
}

TEST(PlanSweep, RefusesWhatCannotBeSwept) {
  EXPECT_EQ(refusal([] { plan({"s=8"}); }),
            "swept:shared_out has no axis 's'; did you mean 'S'? it has B, S, D");
  EXPECT_EQ(refusal([] { plan({"S=8"}, "swept,roof"); }),
            "a sweep takes one target; 'swept,roof' are 2");
  EXPECT_THAT(refusal([] { plan({"S=8"}, "nothing_like_it"); }), HasSubstr("unknown target"));
  EXPECT_EQ(refusal([] { plan({"D=7,9"}); }),
            "swept:shared_out takes no size of this sweep; narrow 4x16x7: D must be a multiple"
            " of 8: got 7");
}

TEST(PlanSweep, RunsEveryPointOnceWithAllRungsAfterTheLaunch) {
  // 33 and 34 tokens both complete to a batch of one, but they are not the same size.
  const auto header = plan_run(options_of(plan({"S=33,34", "D=64,60"}), {}, true), {"sweep"});
  ASSERT_EQ(header.plan.size(), 3u);
  EXPECT_EQ(header.plan[0].entry, "roof:launch/1");
  EXPECT_THAT(header.plan[0].rungs, ElementsAre("one_thread"));
  EXPECT_EQ(header.plan[1].entry, "swept:shared_out/narrow 1x33x64");
  EXPECT_EQ(header.plan[2].entry, "swept:shared_out/narrow 1x34x64");
  EXPECT_THAT(header.plan[1].rungs, ElementsAre("first", "second", "theirs"));
}

TEST(PlanSweep, RungsCanBeChosenAndTheLaunchLeftOut) {
  RunOptions given;
  given.rungs = {"second"};
  const auto with = plan_run(options_of(plan({"S=8"}), given, true), {"sweep"});
  ASSERT_EQ(with.plan.size(), 2u);
  EXPECT_THAT(with.plan[0].rungs, ElementsAre("one_thread"));
  EXPECT_THAT(with.plan[1].rungs, ElementsAre("second"));
  EXPECT_EQ(plan_run(options_of(plan({"S=8"}), given, false), {"sweep"}).plan.size(), 1u);
  given.rungs = {"third"};
  EXPECT_THAT(refusal([&] { plan_run(options_of(plan({"S=8"}), given, true), {"sweep"}); }),
              HasSubstr("unknown rung 'third'"));
}

}  // namespace
}  // namespace aisp::lab
