#include "app/tune/tune_size.hpp"

#include <algorithm>
#include <list>

#include "app/tune/row_check.hpp"
#include "app/tune/tune_options.hpp"
#include "base/refuse.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/run/bench/gauge.hpp"
#include "lab/run/bench/timing.hpp"

namespace aisp::app {
namespace {

// A first short round tells what is far behind; the rest get their samples.
constexpr int first_round = 10;
constexpr double far_behind = 1.15;

// A candidate on its way: the lab's contender, the rung it was made of, and its row.
struct Runner {
  Runner(lab::Device& device, const lab::Problem& problem, Attempted& row, lab::Needs needs,
         const Prepare& prepare)
      : row(row),
        rung{.name = row.name, .needs = needs, .prepare = prepare},
        contender(device, problem, rung, row.name) {}
  Attempted& row;
  lab::Rung rung;
  lab::Contender contender;
};

class SizeTuner {
 public:
  SizeTuner(lab::Device& device, const lab::Size& size, const lab::Emit& emit)
      : device_(device), problem_(problem_of(size)), emit_(emit), buffers_(device, problem_, 2) {}

  void add(Attempted& row, lab::Needs needs, const Prepare& prepare) {
    runners_.emplace_back(device_, problem_, row, needs, prepare);
  }
  void check();
  void time(int samples);
  double flops() const { return problem_.flops; }

 private:
  void check(Runner& runner, const RowCheck& rows);
  void leave(Runner& runner, AttemptStatus status, const std::string& reason);
  void round(lab::ThrottleWatch& watch, int samples);
  void set_slow_ones_aside();

  lab::Device& device_;
  const lab::Problem problem_;
  const lab::Emit& emit_;
  lab::Buffers buffers_;
  std::list<Runner> runners_;  // those still in the race; references to them stay good
};

void SizeTuner::leave(Runner& runner, AttemptStatus status, const std::string& reason) {
  runner.row.status = status;
  runner.row.reason = reason;
}

void SizeTuner::check(Runner& runner, const RowCheck& rows) {
  const lab::DeviceRecord& info = device_.info();
  if (!lab::runs_on(runner.rung.needs, info.major, info.minor))
    return leave(runner, AttemptStatus::skipped,
                 base::say("needs ", lab::name_of(runner.rung.needs), "; ", info.name, " is sm_",
                           info.major, info.minor));
  runner.contender.prepare();
  buffers_.poison(0);
  const lab::Launch launch = buffers_.launch(0);
  runner.contender.run(launch);
  device_.synchronize();
  const lab::Judgement judgement = rows.judge(device_, launch.outputs.at(0));
  if (judgement.right)
    runner.row.status = AttemptStatus::measured;
  else
    leave(runner, AttemptStatus::wrong, judgement.report);
}

void SizeTuner::check() {
  emit_.phase({"", "reference", 0.0});
  buffers_.draw(1, 1);
  const lab::Inputs inputs = buffers_.draw(0, 0);
  const RowCheck rows(problem_, inputs);
  for (auto& runner : runners_) {
    emit_.phase({runner.row.name, "check", 0.1});
    try {
      check(runner, rows);
    } catch (const base::Refusal& refusal) {
      leave(runner, AttemptStatus::skipped, refusal.what());
    } catch (const std::exception& error) {
      leave(runner, AttemptStatus::failed, error.what());
      try {
        device_.synchronize();
      } catch (const std::exception&) {
        base::refuse(base::Exit::wrong, "tune gemm: ", runner.row.name, " on ",
                     problem_.size.label(), ": ", error.what(),
                     "; the device is lost to this process; sizes before this one are kept");
      }
    }
  }
  runners_.remove_if(
      [](const Runner& runner) { return runner.row.status != AttemptStatus::measured; });
}

void SizeTuner::round(lab::ThrottleWatch& watch, int samples) {
  std::vector<lab::Contender*> contenders;
  for (auto& runner : runners_) {
    runner.contender.samples.clear();
    contenders.push_back(&runner.contender);
  }
  lab::Job job;
  job.iterations = samples;
  lab::AsTimed as_timed(device_, buffers_, job.timer);
  lab::Sampler sampler(device_, buffers_, as_timed, job.l2);
  lab::Timing timing(device_, buffers_, sampler, watch, job, emit_);
  for (auto* contender : contenders) timing.warm_up(*contender);
  timing.measure(contenders, 1, {0.2, 1.0});
  for (auto& runner : runners_) runner.row.samples = runner.contender.samples;
}

// The first candidate is what the library would take, the opponent what it is held against: both
// are timed to the end.
void SizeTuner::set_slow_ones_aside() {
  double best = 0;
  for (const auto& runner : runners_) {
    const double now = lab::median(runner.row.samples);
    if (!runner.row.opponent && (best == 0 || now < best)) best = now;
  }
  for (auto at = std::next(runners_.begin()); at != runners_.end();) {
    const bool slow = !at->row.opponent && lab::median(at->row.samples) > far_behind * best;
    if (slow) at->row.status = AttemptStatus::set_aside;
    at = slow ? runners_.erase(at) : std::next(at);
  }
}

void SizeTuner::time(int samples) {
  if (runners_.empty()) return;
  const lab::DeviceRecord& info = device_.info();
  const lab::NvmlOpened nvml = lab::open_gauge(info);
  lab::ThrottleWatch watch(nvml.gauge.get(), nvml.problem);
  if (info.simulated) return round(watch, 0);  // counted times do not vary
  round(watch, std::min(first_round, samples));
  set_slow_ones_aside();
  round(watch, samples);
}

}  // namespace

std::string name_of(const tile::device::TunedChoice& choice) {
  std::string name = choice.recipe;
  const std::string raster = tile::device::text_of(choice.raster);
  if (raster != "m1") name += " raster " + raster;
  if (choice.splits > 1) name += base::say(" splits ", choice.splits);
  return name;
}

const Attempted* TunedSize::fastest() const {
  const Attempted* best = nullptr;
  for (const auto& one : attempted)
    if (!one.opponent && one.status == AttemptStatus::measured &&
        (best == nullptr || lab::median(one.samples) < lab::median(best->samples)))
      best = &one;
  return best;
}

const Attempted* TunedSize::against() const {
  const bool there = !attempted.empty() && attempted.back().opponent;
  return there && attempted.back().status == AttemptStatus::measured ? &attempted.back() : nullptr;
}

TunedSize tune_size(lab::Device& device, const lab::Size& size,
                    const std::vector<Candidate>& candidates, const Opponent& opponent, int samples,
                    const std::function<void(const lab::Phase&)>& progress) {
  TunedSize tuned{.size = size, .flops = 0, .attempted = {}};
  for (const auto& candidate : candidates)
    tuned.attempted.push_back({.name = name_of(candidate.choice), .choice = candidate.choice});
  if (!opponent.name.empty()) tuned.attempted.push_back({.name = opponent.name, .opponent = true});

  const lab::Emit emit{.record = [](const lab::Record&) {}, .phase = progress};
  SizeTuner tuner(device, size, emit);
  for (std::size_t i = 0; i < candidates.size(); ++i)
    tuner.add(tuned.attempted[i], candidates[i].needs, candidates[i].prepare);
  if (!opponent.name.empty()) tuner.add(tuned.attempted.back(), lab::Needs::host, opponent.prepare);
  tuner.check();
  tuner.time(samples);
  tuned.flops = tuner.flops();
  return tuned;
}

}  // namespace aisp::app
