// Lets `aisp tune program` tune a tile program: the compiler's candidates, the lab's timer. Neither
// knows the other.
#pragma once

#include <functional>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "jit/program.hpp"
#include "lab/case/tuning.hpp"

namespace aisp::chapters {

class LabTimer : public jit::Timer {
 public:
  explicit LabTimer(lab::Stopwatch& stopwatch) : stopwatch_(stopwatch) {}

  std::vector<std::vector<double>> time(std::span<const jit::Contender> contenders,
                                        double seconds) override {
    std::vector<lab::TuneCandidate> candidates;
    for (const auto& one : contenders) candidates.push_back({one.name, one.launch});
    auto samples = stopwatch_.time(candidates, seconds);
    for (auto& of_one : samples)
      for (double& sample : of_one) sample /= 1000;
    return samples;
  }

 private:
  lab::Stopwatch& stopwatch_;
};

// `tensors_of` is what a run of the rung calls the program with.
inline void offer_tuning(
    lab::Setup& setup, const jit::Program& program,
    const std::function<std::vector<jit::Tensor>(const lab::Launch&)>& tensors_of) {
  lab::offer_tuning(
      setup, [=](const lab::Launch& launch, lab::Stopwatch& stopwatch, double seconds) {
        LabTimer timer(stopwatch);
        const auto tensors = tensors_of(launch);
        const jit::TuneResult found = program.tune_for(timer, {.seconds = seconds}, tensors);
        lab::TuneOutcome outcome{.attempts = {},
                                 .chosen = jit::text_of(found.choices),
                                 .tried = found.tried,
                                 .of = found.of,
                                 .kept_in = found.file.string()};
        for (const auto& one : found.attempts)
          outcome.attempts.push_back({jit::text_of(one.choices), 1000 * one.median, one.refused});
        return outcome;
      });
}

}  // namespace aisp::chapters
