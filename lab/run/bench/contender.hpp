// One rung, prepared for one problem on one device.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "lab/case/rung.hpp"
#include "lab/device/device.hpp"
#include "lab/judge/judge.hpp"
#include "lab/run/bench/buffers.hpp"
#include "lab/run/bench/burst.hpp"

namespace aisp::lab {

class Contender : public Setup {
 public:
  Contender(Device& device, const Problem& problem, const Rung& rung, std::string name)
      : device_(device), problem_(problem), rung_(rung), name_(std::move(name)) {
    if (rung.rounds_between) note_ = "rounds between its kernels, and may be off by that much more";
  }

  const Problem& problem() const override { return problem_; }
  void* scratch(std::size_t bytes) override { return scratch_.emplace_back(device_, bytes).get(); }
  void* kept(std::size_t bytes, const char* why) override;
  int multiprocessors() const override { return device_.info().multiprocessors; }
  bool simulated() const override { return device_.info().simulated; }
  void before_each_run(Run before) override { before_ = std::move(before); }
  void before_each_check(Run poison) override { poisons_.push_back(std::move(poison)); }
  void stages_inputs(std::vector<int> indices) override { staged_ = std::move(indices); }
  void own_outputs(OwnOutputs outputs) override { own_outputs_ = std::move(outputs); }
  void note(const std::string& line) override { note_ = line; }
  void figure(const std::string& name, const std::string& unit,
              std::function<double()> read) override {
    figures_.push_back({name, unit, std::move(read), {}});
  }
  void own_time(std::function<double()> milliseconds) override {
    own_time_ = std::move(milliseconds);
  }

  const Rung& rung() const { return rung_; }
  const std::string& name() const { return name_; }
  // The ladder's own, whatever --rungs picked.
  bool is_baseline() const { return rung_.step == 0 && !rung_.peer; }

  void prepare() { run_ = rung_.prepare(*this); }
  bool times_itself() const { return own_time_ != nullptr; }
  // What has to happen before each run and is not timed.
  void before(const Launch& launch) const {
    if (before_) before_(launch);
  }
  void run(const Launch& launch) const { run_(launch); }

  bool has_own_outputs() const { return own_outputs_.collect != nullptr; }
  bool stages(int input) const {
    return std::find(staged_.begin(), staged_.end(), input) != staged_.end();
  }
  // Around a checked run: what its steps hand to each other, and outputs of the rung's own.
  void poison(const Launch& launch) const;
  void poison_own_outputs(const Launch& launch) const {
    if (own_outputs_.poison) own_outputs_.poison(launch);
  }
  void collect(const Launch& launch) const {
    if (own_outputs_.collect) own_outputs_.collect(launch);
  }
  // What the rung noted about itself, and how it is judged where that is not the usual way.
  std::string told() const {
    if (rung_.narrower.empty()) return note_;
    const std::string judged = "may be off by the error of " + rung_.narrower;
    return note_.empty() ? judged : note_ + "; " + judged;
  }

  // The sample of the run that has just ended, where the time between the events was this.
  double sample_of(double between_events) const { return own_time_ ? own_time_() : between_events; }
  void read_figures() {
    for (auto& figure : figures_) figure.values.push_back(figure.read());
  }
  std::vector<FigureRecord> figures() const;

  // What was learned about it so far.
  std::vector<double> samples;
  std::vector<double> host_shares;  // of each of them, where the device tells
  std::vector<double> busy_after;   // Timed::busy_after_ms of every timed run, warm-up included
  int throttled = 0;
  Burst burst;
  std::vector<CountRecord> counts;
  bool bytes_compared = false;  // with the baseline's, where the target asks for the same
  Judgement worst{};            // the less favourable of its checks

 private:
  Device& device_;
  const Problem& problem_;
  const Rung& rung_;
  std::string name_;  // the rung's, or "… again" in a self-check
  std::vector<Buffer> scratch_, kept_;
  struct Figure {
    std::string name, unit;
    std::function<double()> read;
    std::vector<double> values;  // one for each timed run
  };
  std::vector<Figure> figures_;
  std::function<double()> own_time_;
  std::string note_;
  Run before_, run_;
  std::vector<Run> poisons_;
  std::vector<int> staged_;
  OwnOutputs own_outputs_;
};

}  // namespace aisp::lab
