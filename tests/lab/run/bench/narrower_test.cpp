// A rung whose idea is narrower numbers is judged element by element with what the case finds from
// the inputs, says so in its row, and nobody else gets it.
#include <gtest/gtest.h>

#include <cmath>

#include "lab/run/bench/bench.hpp"
#include "tests/fixtures/doubling.hpp"

namespace aisp::lab {
namespace {

// A step of 2^-8 for the elements of even number, of 2^-12 for the others, times the input.
double step(std::int64_t i) { return i % 2 == 0 ? 0x1p-8 : 0x1p-12; }

void double_in_steps(const Launch& launch, int parity) {
  const auto* x = launch.in<float>(0);
  for (std::int64_t i = 0; i < launch.dim(0); ++i)
    launch.out<float>(0)[i] = static_cast<float>(2 * x[i] * (1 + 0.9 * step(i + parity)));
}
void in_the_right_steps(const Launch& launch) { double_in_steps(launch, 0); }
void in_the_others_steps(const Launch& launch) { double_in_steps(launch, 1); }
void with_nan(const Launch& launch) {
  double_in_steps(launch, 0);
  launch.out<float>(0)[5] = std::nanf("");
}

Target target() {
  Target made = fixture::target("narrow", "a result in narrower numbers");
  made.problem = [](const Size& size) {
    Problem problem = fixture::doubling(size);
    problem.outputs[0].narrower["steps"] = [](const Inputs& inputs, std::vector<double>& allowed) {
      for (std::size_t i = 0; i < allowed.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        allowed[i] = std::abs(2 * inputs[0][at]) * step(at);
      }
    };
    return problem;
  };
  return made;
}

RungEntry rung(const std::string& name, int place, const std::string& narrower,
               void (*run)(const Launch&)) {
  Rung made = fixture::rung(name, place, run);
  made.narrower = narrower;
  return {"fx:narrow", made};
}

const TargetEntry entry{target()};
const RungEntry rungs[] = {
    rung("double", 0, "", fixture::double_all),
    rung("says_so", 1, "steps", in_the_right_steps),
    rung("does_not_say", 2, "", in_the_right_steps),
    rung("too_far_off", 3, "steps", in_the_others_steps),
    rung("leaves_nan", 4, "steps", with_nan),
    rung("unknown", 5, "other steps", in_the_right_steps),
};

RowRecord row(const std::string& rung) {
  Job job;
  job.entry = {"fx:narrow/64", "fx:narrow", "", {64}, {"double", rung}};
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

TEST(Narrower, IsJudgedElementByElementAndSaysSo) {
  const auto judged = row("says_so");
  EXPECT_EQ(name_of(judged.status), "measured") << judged.reason;
  EXPECT_EQ(judged.note, "may be off by the error of steps");
}

TEST(Narrower, IsNotForThoseWhoDoNotSaySo) {
  EXPECT_EQ(name_of(row("does_not_say").status), "wrong");
  EXPECT_EQ(row("double").note, "");
}

TEST(Narrower, EndsWhereTheCaseSaysForThatElement) {
  const auto judged = row("too_far_off");
  EXPECT_EQ(name_of(judged.status), "wrong");
  EXPECT_NE(judged.reason.find("32 of 64 wrong, first at (1)"), std::string::npos) << judged.reason;
  EXPECT_EQ(name_of(row("leaves_nan").status), "wrong");
}

TEST(Narrower, NamesNumbersThatTheCaseDoesNotKnow) {
  const auto judged = row("unknown");
  EXPECT_NE(name_of(judged.status), "measured");
  EXPECT_NE(judged.reason.find("by the error of other steps"), std::string::npos) << judged.reason;
}

}  // namespace
}  // namespace aisp::lab
