// A peer whose kernels hand narrow numbers to each other is judged with what the case allows for
// that, says so in its row, and nobody else gets it.
#include <gtest/gtest.h>

#include "lab/run/bench/bench.hpp"
#include "tests/fixtures/doubling.hpp"

namespace aisp::lab {
namespace {

constexpr float off = 1.0f + 0x1p-10f;

void double_roughly(const Launch& launch) {
  fixture::double_all(launch);
  for (std::int64_t i = 0; i < launch.dim(0); ++i) launch.out<float>(0)[i] *= off;
}

void double_wrongly(const Launch& launch) {
  fixture::double_all(launch);
  for (std::int64_t i = 0; i < launch.dim(0); ++i) launch.out<float>(0)[i] *= 1.01f;
}

Target target(const std::string& name, bool allows) {
  Target made = fixture::target(name, "a result by way of narrow numbers");
  made.problem = [allows](const Size& size) {
    Problem problem = fixture::doubling(size);
    if (allows) problem.outputs[0].rounded_between = Tolerance{.relative = 0x1p-9, .absolute = 0};
    return problem;
  };
  return made;
}

RungEntry peer(const std::string& target, const std::string& name, bool rounds_between,
               void (*run)(const Launch&)) {
  Rung rung = fixture::rung(name, 0, run);
  rung.peer = true;
  rung.rounds_between = rounds_between;
  return {target, rung};
}

const TargetEntry allows_entry{target("allows", true)};
const TargetEntry strict_entry{target("strict", false)};
const RungEntry baselines[] = {
    {"fx:allows", fixture::rung("double", 0, fixture::double_all)},
    {"fx:strict", fixture::rung("double", 0, fixture::double_all)},
};
const RungEntry peers[] = {
    peer("fx:allows", "says_so", true, double_roughly),
    peer("fx:allows", "does_not_say", false, double_roughly),
    peer("fx:allows", "too_rough", true, double_wrongly),
    peer("fx:strict", "says_so", true, double_roughly),
};

RowRecord row(const std::string& target, const std::string& rung) {
  Job job;
  job.entry = {target + "/64", target, "", {64}, {"double", rung}};
  job.rungs = {"double", rung};
  job.l2 = L2Mode::hot;
  job.iterations = 6;
  job.warmup = 2;
  RowRecord found;
  const auto device = open_host_device();
  run_entry(*device, job,
            {[&](const Record& record) {
               if (const auto* seen = std::get_if<RowRecord>(&record);
                   seen != nullptr && seen->rung == rung)
                 found = *seen;
             },
             [](const Phase&) {}});
  return found;
}

TEST(RoundsBetween, IsJudgedWithWhatTheCaseAllowsAndSaysSo) {
  const auto judged = row("fx:allows", "says_so");
  EXPECT_EQ(name_of(judged.status), "measured") << judged.reason;
  EXPECT_EQ(judged.note, "rounds between its kernels, and may be off by that much more");
}

TEST(RoundsBetween, IsNotForThoseWhoDoNotSaySo) {
  EXPECT_EQ(name_of(row("fx:allows", "does_not_say").status), "wrong");
  EXPECT_EQ(row("fx:allows", "double").note, "");
}

TEST(RoundsBetween, EndsWhereTheCaseSays) {
  EXPECT_EQ(name_of(row("fx:allows", "too_rough").status), "wrong");
  EXPECT_EQ(name_of(row("fx:strict", "says_so").status), "wrong") << "the case allows nothing";
}

}  // namespace
}  // namespace aisp::lab
