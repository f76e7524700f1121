#include "lab/run/process/job.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace aisp::lab {
namespace {

Job full_job() {
  return {.entry = {"fx:good/a 64", "fx:good", "a", {64, std::int64_t{1} << 40}, {"x", "y", "z"}},
          .attempt = 3,
          .rungs = {"x", "z"},
          .timer = Timer::graph,
          .l2 = L2Mode::rotate,
          .profile = Profile::minimal,
          .seed = std::numeric_limits<std::uint64_t>::max(),
          .iterations = 11,
          .warmup = 4,
          .validate = true,
          .self_check = 100,
          .trace = "runs/a"};
}

TEST(Job, ComesThroughThePipeAsItWas) {
  const Job job = full_job();
  const Job back = job_from_json(nlohmann::json::parse(to_json(job).dump()));
  EXPECT_EQ(back.entry, job.entry);
  EXPECT_EQ(back.attempt, 3);
  EXPECT_EQ(back.rungs, job.rungs);
  EXPECT_EQ(name_of(back.timer), "graph");
  EXPECT_EQ(name_of(back.l2), "rotate");
  EXPECT_EQ(name_of(back.profile), "minimal");
  EXPECT_EQ(back.seed, job.seed);
  EXPECT_EQ(back.iterations, 11);
  EXPECT_EQ(back.warmup, 4);
  EXPECT_TRUE(back.validate);
  EXPECT_EQ(back.self_check, 100);
  EXPECT_EQ(back.trace, "runs/a");
}

TEST(Job, EveryFieldIsNeeded) {
  const auto whole = to_json(full_job());
  for (const auto& [key, value] : whole.items()) {
    auto part = whole;
    part.erase(key);
    EXPECT_THROW(job_from_json(part), nlohmann::json::exception) << key;
  }
}

TEST(Phase, IsToldApartFromRecords) {
  const auto object = nlohmann::json::parse(to_json(Phase{"add", "check before", 0.25}).dump());
  EXPECT_EQ(object.at("kind"), "phase");
  const Phase phase = phase_from_json(object);
  EXPECT_EQ(phase.rung, "add");
  EXPECT_EQ(phase.what, "check before");
  EXPECT_EQ(phase.share, 0.25);
}

}  // namespace
}  // namespace aisp::lab
