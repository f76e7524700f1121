// A rung on a problem's buffers, made ready to be looked at instead of timed.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/inspect/launches.hpp"
#include "lab/case/rung.hpp"
#include "lab/device/device.hpp"
#include "lab/run/bench/buffers.hpp"

namespace aisp::app {

class Stage : public lab::Setup {
 public:
  Stage(lab::Device& device, const lab::Problem& problem, const lab::Rung& rung);

  // Called before a rung whose work cannot be captured runs on the device.
  void on_run(std::function<void()> called) { on_run_ = std::move(called); }

  // What one run launches. Captured where the rung allows it, at once or behind a first run; else
  // run once more while a collector looks on. What the rung refuses is thrown.
  Launches launches();

  // After launches().
  std::vector<lab::Exhibit> exhibits() const;
  const std::string& told() const { return note_; }
  std::string memory() const;  // a line for each piece of memory, with its bytes

  const lab::Problem& problem() const override { return problem_; }
  void* scratch(std::size_t bytes) override;
  void* kept(std::size_t bytes, const char* why) override;
  int multiprocessors() const override { return device_.info().multiprocessors; }
  bool simulated() const override { return device_.info().simulated; }
  void before_each_run(lab::Run before) override { before_ = std::move(before); }
  void before_each_check(lab::Run) override {}
  void own_outputs(lab::OwnOutputs) override {}
  void own_time(std::function<double()>) override {}
  void note(const std::string& line) override { note_ = line; }
  void shows(std::function<std::vector<lab::Exhibit>()> exhibits) override {
    exhibits_.push_back(std::move(exhibits));
  }

 private:
  struct Piece {
    std::string what;
    lab::Buffer memory;
  };
  void fill_inputs();
  void before();
  // Why it cannot be captured, or nothing and the graph's nodes.
  std::string capture(Launches& into);
  void watch(Launches& into);

  lab::Device& device_;
  const lab::Problem& problem_;
  const lab::Rung& rung_;
  lab::Buffers buffers_;
  std::vector<Piece> pieces_;
  std::vector<std::function<std::vector<lab::Exhibit>()>> exhibits_;
  std::string note_;
  lab::Run run_, before_;
  std::function<void()> on_run_ = [] {};
};

}  // namespace aisp::app
