// One rung, prepared for one problem on one device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lab/case/rung.hpp"
#include "lab/device/device.hpp"
#include "lab/judge/judge.hpp"
#include "lab/run/buffers.hpp"

namespace lab {

class Contender : public Setup {
 public:
  Contender(Device& device, const Problem& problem, const Rung& rung, std::string name)
      : device_(device), problem_(problem), rung_(rung), name_(std::move(name)) {}

  const Problem& problem() const override { return problem_; }
  void* scratch(std::size_t bytes) override { return scratch_.emplace_back(device_, bytes).get(); }
  int multiprocessors() const override { return device_.info().multiprocessors; }
  bool simulated() const override { return device_.info().simulated; }

  const Rung& rung() const { return rung_; }
  const std::string& name() const { return name_; }

  void prepare() { run_ = rung_.prepare(*this); }
  void run(const Launch& launch) const { run_(launch); }

  // What was learned about it so far.
  std::vector<double> samples;
  int throttled = 0;
  Judgement worst{};  // the less favourable of its checks

 private:
  Device& device_;
  const Problem& problem_;
  const Rung& rung_;
  std::string name_;  // the rung's, or "… again" in a self-check
  std::vector<Buffer> scratch_;
  Run run_;
};

}  // namespace lab
