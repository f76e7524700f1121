// A rung that offers tuning, on the buffers of one size, with the lab's own timer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lab/case/tuning.hpp"
#include "lab/device/device.hpp"
#include "lab/judge/judge.hpp"
#include "lab/measure/nvml.hpp"
#include "lab/run/bench/buffers.hpp"
#include "lab/run/bench/timing.hpp"

namespace aisp::app {

// Samples of each candidate on the simulator. They are counted, and differ only by the inputs.
constexpr int simulated_samples = 5;

class ProgramStage : public lab::TuningSetup, public lab::Stopwatch {
 public:
  // What is being done, and with which share of the candidates at hand.
  using Report = std::function<void(const std::string& what, double share)>;

  ProgramStage(
      lab::Device& device, const lab::Problem& problem, const lab::Rung& rung,
      Report report = [](const std::string&, double) {});

  bool offers() const { return tune_ != nullptr; }
  lab::TuneOutcome tune(double seconds);
  // Of one run with what was chosen, against the reference.
  lab::Judgement judge();

  std::vector<std::vector<double>> time(std::span<const lab::TuneCandidate> candidates,
                                        double seconds) override;

  const lab::Problem& problem() const override { return problem_; }
  void* scratch(std::size_t bytes) override { return memory_.emplace_back(device_, bytes).get(); }
  int multiprocessors() const override { return device_.info().multiprocessors; }
  bool simulated() const override { return device_.info().simulated; }
  void tunes(lab::Tune tune) override { tune_ = std::move(tune); }

 private:
  int samples_of_each(const std::vector<lab::Contender*>& contenders, double seconds,
                      lab::Sampler& sampler, lab::ThrottleWatch& watch);

  lab::Device& device_;
  const lab::Problem& problem_;
  const lab::Rung& rung_;
  lab::Buffers buffers_;
  lab::Inputs inputs_;
  lab::NvmlOpened nvml_;
  std::vector<lab::Buffer> memory_;
  lab::Tune tune_;
  Report report_;
  lab::Run run_;
};

}  // namespace aisp::app
