#include "lab/cli/self_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/refuse.hpp"
#include "lab/case/random.hpp"
#include "lab/measure/verdict.hpp"
#include "lab/report/results.hpp"

namespace aisp::lab {
namespace {

void count(SelfCheckTally& tally, Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      ++tally.same;
      break;
    case Verdict::faster:
      ++tally.faster;
      break;
    case Verdict::slower:
      ++tally.slower;
      break;
    case Verdict::ambiguous:
      ++tally.ambiguous;
      break;
  }
}

// A time as devices give them: 1 ms with 0.5 % scatter, and one in twenty late by up to 10 %.
double made_up_time(std::uint64_t seed, std::uint64_t index) {
  const auto bits = philox(seed, 0, index);
  const double radius = std::sqrt(-2 * std::log(unit_interval(bits[0])));
  const double noise = radius * std::cos(2 * M_PI * unit_interval(bits[1]));
  const bool late = unit_interval(bits[2]) < 0.05;
  return 1 + 0.005 * noise + (late ? 0.1 * unit_interval(bits[3]) : 0);
}

std::string sentence(const std::string& what, const SelfCheckTally& tally) {
  return fmt::format("{}: same {}, faster {}, slower {}, ambiguous {} of {}: {}\n", what,
                     tally.same, tally.faster, tally.slower, tally.ambiguous, tally.all(),
                     tally.good() ? "good" : "not good, 95 in 100 must be same");
}

}  // namespace

SelfCheckTally made_up_self_check(int repetitions, std::uint64_t seed) {
  constexpr int samples = 50;
  SelfCheckTally tally;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    std::vector<double> a, b;
    for (int i = 0; i < samples; ++i) {
      const auto index =
          static_cast<std::uint64_t>(repetition) * samples + static_cast<std::uint64_t>(i);
      a.push_back(made_up_time(2 * seed, index));
      b.push_back(made_up_time(2 * seed + 1, index));
    }
    count(tally, compare(a, b).verdict);
  }
  return tally;
}

SelfCheckTally recorded_self_check(const RunFile& run, const EntryPlan& entry) {
  std::map<int, std::pair<std::vector<double>, std::vector<double>>> repetitions;
  for (const auto& sample : run.samples) {
    if (sample.entry != entry.entry) continue;
    auto& [first, again] = repetitions[sample.attempt];
    (sample.rung == entry.rungs.front() ? first : again).push_back(sample.ms);
  }
  SelfCheckTally tally;
  for (const auto& [attempt, pair] : repetitions)
    count(tally, compare(pair.first, pair.second).verdict);
  return tally;
}

int report_self_check(Session& session) {
  const RunFile& run = session.result();
  const SelfCheckTally made_up = made_up_self_check(run.header.self_check, run.header.seed);
  std::string text = sentence("made-up samples", made_up);
  bool good = made_up.good();
  for (const auto& entry : run.header.plan) {
    const SelfCheckTally recorded = recorded_self_check(run, entry);
    text += sentence(entry.entry + " " + entry.rungs.front() + " against itself", recorded);
    good = good && recorded.good();
  }
  const int rows = exit_of_rows(run);
  const int exit = rows != 0 ? rows : good ? 0 : static_cast<int>(base::Exit::regression);
  const auto verdict = [&](const char* ending) {
    return fmt::format("self-check {}; {}", ending, session.folder().string());
  };
  const char* const ending = exit == 0 ? "good" : "failed";
  const int recorded = session.finish(exit, verdict(ending));
  fmt::print("{}{}{}\n", reasons(run), text, verdict(recorded == exit ? ending : "not recorded"));
  return recorded;
}

}  // namespace aisp::lab
