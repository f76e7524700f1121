#include "jit/tune.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/refuse.hpp"
#include "jit/program_state.hpp"
#include "jit/run/candidates.hpp"
#include "jit/run/tuned.hpp"

namespace aisp::jit {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t at_once = 8;  // candidates that are compiled and timed together

struct Runner {
  Choices choices;
  std::unique_ptr<Variant> variant;  // none: refused
  std::string refused;
  Compiled compiled;
  std::unique_ptr<Built> built;
  std::vector<double> samples;
};

class Tuning {
 public:
  Tuning(ProgramState& state, std::span<const Tensor> tensors, const CallFacts& facts, Timer& timer,
         const TuneOptions& options)
      : state_(state),
        tensors_(tensors),
        facts_(facts),
        timer_(timer),
        end_(Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                std::chrono::duration<double>(options.seconds))),
        called_(state.signature(tensors, facts.choices)),
        file_(state.options.tuned) {}

  TuneResult result() {
    const Variant rule = make_variant(state_.trace(called_), called_);
    key_ = tuned_key(state_.architecture(), rule);
    candidates_ = tuning_candidates(rule.choices, rule.plan, called_.choices);
    result_.of = static_cast<int>(candidates_.size());
    result_.file = file_.path();
    if (const auto kept = file_.find(key_); kept && kept->of == result_.of) {
      result_.tried = kept->tried;
      result_.choices = kept->choices;
    }
    while (result_.tried < result_.of && left() > 0 && batch()) {
    }
    return result_;
  }

  // Calls take the choice from now on.
  void take() {
    Runner chosen = make(result_.choices);
    if (!chosen.variant) base::refuse(base::Exit::environment, chosen.refused);
    chosen.compiled = state_.compile(*chosen.variant, state_.architecture());
    load(chosen);
    const std::lock_guard lock(state_.guard);
    state_.add(std::move(chosen.built), facts_);
  }

 private:
  double left() const { return std::chrono::duration<double>(end_ - Clock::now()).count(); }

  Runner make(const Choices& choices) const {
    Runner made{choices, nullptr, {}, {}, nullptr, {}};
    Signature called = called_;
    for (const auto& [name, value] : choices) called.choices[name] = value;
    try {
      made.variant = std::make_unique<Variant>(make_variant(state_.trace(called), called));
    } catch (const base::Refusal& refusal) {
      made.refused = refusal.what();
    }
    return made;
  }
  void load(Runner& runner) const {
    runner.built = state_.make(std::move(*runner.variant), std::move(runner.compiled), facts_);
  }

  // In several threads; the rule and the best so far in any case, the others while there is time.
  // How many there are then.
  std::size_t compile(std::vector<Runner>& runners, std::size_t needed) const {
    std::atomic<std::size_t> next = 0;
    std::vector<char> done(runners.size());
    const std::string target = state_.architecture();
    const auto work = [&] {
      for (std::size_t at = next++; at < runners.size(); at = next++) {
        if (at >= needed && left() <= 0) return;
        try {
          if (runners[at].variant)
            runners[at].compiled = state_.compile(*runners[at].variant, target);
        } catch (const base::Refusal& refusal) {
          runners[at].variant = nullptr;
          runners[at].refused = refusal.what();
        }
        done[at] = 1;
      }
    };
    std::vector<std::jthread> threads;
    const std::size_t cores = std::clamp(std::thread::hardware_concurrency(), 1u, 8u);
    for (std::size_t at = 1; at < std::min(cores, runners.size()); ++at) threads.emplace_back(work);
    work();
    threads.clear();  // joins
    return static_cast<std::size_t>(std::find(done.begin(), done.end(), 0) - done.begin());
  }

  // The next candidates beside the rule and the best so far. False where the time was up.
  bool batch() {
    std::vector<Runner> runners;
    runners.push_back(make({}));
    if (!result_.choices.empty()) runners.push_back(make(result_.choices));
    const std::size_t known = runners.size();
    auto next = static_cast<std::size_t>(std::max(result_.tried, 1));  // the first is the rule
    for (; next < candidates_.size() && runners.size() < at_once + known - 1; ++next)
      runners.push_back(make(candidates_[next]));
    const std::size_t compiled = compile(runners, known);
    if (compiled == known && runners.size() > known) return false;
    runners.resize(compiled);
    time(runners);
    const Runner* best = &runners[known - 1];
    for (std::size_t at = known; at < runners.size(); ++at)
      if (is_faster(runners[at].samples, best->samples) ||
          (best != &runners[known - 1] && !runners[at].samples.empty() &&
           is_faster(runners[at].samples, runners[known - 1].samples) &&
           median_of(runners[at].samples) < median_of(best->samples)))
        best = &runners[at];
    const auto begin = static_cast<std::size_t>(result_.tried == 0 ? 0 : known);
    for (std::size_t at = begin; at < runners.size(); ++at)
      if (at == 0 || at >= known)
        result_.attempts.push_back(
            {runners[at].choices, median_of(runners[at].samples), runners[at].refused});
    result_.choices = best->choices;
    result_.tried = std::max(result_.tried, 1) + static_cast<int>(compiled - known);
    file_.keep(key_, {state_.name, result_.tried, result_.of, median_of(best->samples) * 1e6,
                      result_.choices});
    return true;
  }

  void time(std::vector<Runner>& runners) {
    std::vector<Contender> contenders;
    std::vector<Runner*> timed;
    for (Runner& runner : runners) {
      if (!runner.variant) continue;
      load(runner);
      timed.push_back(&runner);
      const Ready* ready = runner.built->ready.get();
      contenders.push_back({text_of(runner.choices), [this, ready](cudaStream_t stream) {
                              ready->launch(stream, tensors_);
                            }});
    }
    const double batches = 1 + static_cast<double>(result_.of - result_.tried) / at_once;
    const auto samples = timer_.time(contenders, std::max(left(), 0.0) / batches);
    if (samples.size() != timed.size())
      base::refuse(base::Exit::wrong, state_.name, ": the timer gave ", samples.size(),
                   " results for ", timed.size(), " candidates");
    for (std::size_t at = 0; at < timed.size(); ++at) timed[at]->samples = samples[at];
  }

  ProgramState& state_;
  std::span<const Tensor> tensors_;
  const CallFacts& facts_;
  Timer& timer_;
  Clock::time_point end_;
  Signature called_;
  TunedFile file_;
  std::string key_;
  std::vector<Choices> candidates_;
  TuneResult result_;
};

}  // namespace

TuneResult tune(ProgramState& state, std::span<const Tensor> tensors, const CallFacts& facts,
                Timer& timer, const TuneOptions& options) {
  Tuning tuning(state, tensors, facts, timer, options);
  TuneResult result = tuning.result();
  tuning.take();
  return result;
}

}  // namespace aisp::jit
