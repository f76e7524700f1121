#include "app/tune/program_stage.hpp"

#include <algorithm>
#include <list>

#include "base/refuse.hpp"
#include "lab/measure/throttle.hpp"
#include "lab/run/bench/gauge.hpp"

namespace aisp::app {
namespace {

constexpr int least_samples = 5, most_samples = 50;

// A candidate as a rung of the same problem.
struct TimedCandidate {
  TimedCandidate(lab::Device& device, const lab::Problem& problem,
                 const lab::TuneCandidate& candidate)
      : rung{.name = candidate.name,
             .prepare =
                 [&candidate](lab::Setup&) {
                   return lab::Run([&candidate](const lab::Launch& launch) {
                     candidate.launch(launch.stream);
                   });
                 }},
        contender(device, problem, rung, candidate.name) {
    contender.prepare();
  }
  lab::Rung rung;
  lab::Contender contender;
};

}  // namespace

ProgramStage::ProgramStage(lab::Device& device, const lab::Problem& problem, const lab::Rung& rung,
                           Report report)
    : device_(device),
      problem_(problem),
      rung_(rung),
      buffers_(device, problem, 1),
      inputs_(buffers_.draw(0, 0)),
      nvml_(lab::open_gauge(device.info())),
      report_(std::move(report)) {
  run_ = rung.prepare(*this);
}

lab::TuneOutcome ProgramStage::tune(double seconds) {
  report_("compiling the candidates", 0);
  return tune_(buffers_.launch(0), *this, seconds);
}

lab::Judgement ProgramStage::judge() {
  report_("float64 reference", 0);
  std::vector<std::vector<double>> expected;
  for (const auto& output : problem_.outputs)
    expected.emplace_back(static_cast<std::size_t>(output.tensor.count()));
  problem_.reference(inputs_, expected);
  report_("check of the choice", 0);
  buffers_.poison(0);
  run_(buffers_.launch(0));
  buffers_.keep_outputs(0);
  device_.synchronize();
  return buffers_.judge(0, rung_, inputs_, expected);
}

std::vector<std::vector<double>> ProgramStage::time(std::span<const lab::TuneCandidate> candidates,
                                                    double seconds) {
  std::list<TimedCandidate> timed;
  std::vector<lab::Contender*> contenders;
  for (const auto& candidate : candidates) {
    timed.emplace_back(device_, problem_, candidate);
    contenders.push_back(&timed.back().contender);
  }
  lab::ThrottleWatch watch(nvml_.gauge.get(), nvml_.problem);
  lab::Job job;
  lab::AsTimed as_timed(device_, buffers_, job.timer);
  lab::Sampler sampler(device_, buffers_, as_timed, job.l2);
  job.iterations = samples_of_each(contenders, seconds, sampler, watch);
  const auto all = contenders.size() * static_cast<std::size_t>(job.iterations);
  std::size_t taken = 0;
  const lab::Emit emit{.record = [](const lab::Record&) {},
                       .phase =
                           [&](const lab::Phase& phase) {
                             ++taken;
                             report_(
                                 base::say("timing ", phase.rung, ", sample ", taken, " of ", all),
                                 static_cast<double>(taken) / static_cast<double>(all));
                           }};
  lab::Timing timing(device_, buffers_, sampler, watch, job, emit);
  timing.measure(contenders, 1, {0, 1});
  report_("compiling the candidates", 0);
  std::vector<std::vector<double>> samples;
  for (auto* contender : contenders) samples.push_back(contender->samples);
  return samples;
}

int ProgramStage::samples_of_each(const std::vector<lab::Contender*>& contenders, double seconds,
                                  lab::Sampler& sampler, lab::ThrottleWatch& watch) {
  if (device_.info().simulated) return simulated_samples;
  const lab::Emit quiet{.record = [](const lab::Record&) {}, .phase = [](const lab::Phase&) {}};
  lab::Job job;
  job.iterations = 1;
  lab::Timing timing(device_, buffers_, sampler, watch, job, quiet);
  for (auto* contender : contenders) timing.warm_up(*contender);
  timing.measure(contenders, 1, {0, 1});
  double round = 0;  // seconds that one sample of each takes
  for (auto* contender : contenders) {
    round += contender->samples.front() / 1000;
    contender->samples.clear();
  }
  constexpr double beside = 0.0005;  // of each sample: poison, flush, waiting
  round += beside * static_cast<double>(contenders.size());
  return static_cast<int>(std::clamp(seconds / round, double{least_samples}, double{most_samples}));
}

}  // namespace aisp::app
