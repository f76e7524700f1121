#include "app/tune/tune_command.hpp"

#include <cstdio>

#include "app/tune/tune_options.hpp"
#include "app/tune/tune_report.hpp"
#include "app/tune/tuned_store.hpp"
#include "base/refuse.hpp"
#include "lab/cli/progress.hpp"
#include "lab/measure/statistics.hpp"
#include "lab/run/process/interrupt.hpp"

namespace aisp::app {
namespace {

using tile::device::TunedDevice;

struct Interrupted {};

int list_candidates(const TuneOptions& options, Tuner& tuner) {
  std::vector<SizeCandidates> all;
  for (const auto& size : options.sizes) all.push_back({size, tuner.candidates(key_of(size))});
  print_table(candidates_table(all), options.format);
  return 0;
}

// Sizes one after the other; each is kept on disk before the next begins.
class TuneRun {
 public:
  TuneRun(const TuneOptions& options, Tuner& tuner)
      : options_(options),
        tuner_(tuner),
        device_(tuner.open_device()),
        identity_(tuner.identity()),
        path_(tile::device::tuned_path(identity_)),
        progress_(lab::stderr_is_terminal()) {
    // A file that cannot be read should be known before an hour of measuring, not after.
    const auto known = tile::device::read_tuned(path_, identity_);
    for (const auto& size : options.sizes)
      if (!options.missing || known.find(key_of(size)) == nullptr) todo_.push_back(size);
  }

  void run() {
    try {
      for (std::size_t at = 0; at < todo_.size(); ++at) tune(at);
    } catch (const Interrupted&) {
      outcome_.interrupted = true;
    }
  }

  int report() {
    outcome_.asked = todo_.size();
    outcome_.simulated = device_->info().simulated;
    outcome_.path = path_;
    return print_outcome(outcome_, options_.format, options_.candidates);
  }

 private:
  void tune(std::size_t at) {
    const lab::Size& size = todo_[at];
    const auto candidates = tuner_.candidates(key_of(size));
    if (candidates.empty())
      base::refuse(base::Exit::usage, "the library has no recipe for ", size.label());
    const lab::EntryPlan entry{.entry = size.label()};
    const Opponent opponent{options_.against,
                            options_.against.empty() ? nullptr : tuner_.opponent(options_.against)};
    const auto progress = [&](const lab::Phase& phase) {
      if (interrupt_.pending()) throw Interrupted{};
      progress_.phase(entry, at, todo_.size(), phase);
    };
    outcome_.sizes.push_back(
        tune_size(*device_, size, candidates, opponent, options_.samples, progress));
    keep(outcome_.sizes.back());
  }

  void keep(const TunedSize& tuned) {
    const Attempted* best = tuned.fastest();
    if (best == nullptr || device_->info().simulated) return;
    auto choice = best->choice;
    choice.microseconds = 1e3 * lab::median(best->samples);
    keep_tuned(path_, identity_, key_of(tuned.size), choice);
  }

  const TuneOptions& options_;
  Tuner& tuner_;
  std::unique_ptr<lab::Device> device_;
  TunedDevice identity_;
  std::filesystem::path path_;
  lab::Progress progress_;
  lab::Interrupt interrupt_;
  std::vector<lab::Size> todo_;
  TuneOutcome outcome_;
};

}  // namespace

int tune_gemm_command(const std::vector<std::string>& words, Tuner& tuner) {
  const TuneOptions options = parse_tune_options(words, tuner.opponents());
  if (options.list) return list_candidates(options, tuner);
  TuneRun run(options, tuner);
  run.run();
  return run.report();
}

}  // namespace aisp::app
