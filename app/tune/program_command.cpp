#include "app/tune/program_command.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/tune/program_estimate.hpp"
#include "app/tune/program_stage.hpp"
#include "app/tune/tune_progress.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/module/load.hpp"
#include "lab/report/sweep_scale.hpp"
#include "lab/run/plan/plan.hpp"
#include "lab/run/plan/rung_choice.hpp"

namespace aisp::app {
namespace {

const std::string own_name = "tune program";

struct Options : lab::RungChoice {
  double seconds = 30;
};

double seconds_in(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number > 0) || number > 86400)
    base::refuse(base::Exit::usage, own_name,
                 " --seconds is a number above 0 and up to 86400, not '", text, "'");
  return number;
}

Options read(const std::vector<std::string>& given) {
  std::vector<std::string> known = lab::rung_options();
  known.push_back("--seconds");
  std::vector<std::string> words = given;
  Options options;
  for (std::size_t at = 0; at < words.size(); ++at) {
    lab::split_value(words, at, known);
    if (lab::take_rung_word(own_name, words, at, options)) continue;
    if (words[at] != "--seconds") lab::refuse_option(own_name, words[at], known);
    options.seconds = seconds_in(lab::value_behind(own_name, words, at));
  }
  if (!options.quick && !lab::on_simulator()) options.full = true;
  return options;
}

void print(const lab::TuneOutcome& outcome, bool simulated, std::ostream& out) {
  for (const auto& attempt : outcome.attempts)
    out << "  " << attempt.name << "  "
        << (attempt.refused.empty() ? lab::short_duration(attempt.ms)
                                    : "refused: " + attempt.refused)
        << '\n';
  out << "  " << outcome.tried << " of " << outcome.of << " candidates tried"
      << (outcome.tried < outcome.of ? "; the next time goes on there" : "") << '\n'
      << "  taken from now on: " << outcome.chosen << (simulated ? " (by counted times)" : "")
      << ", kept in " << outcome.kept_in << '\n';
}

// A rung of an entry of the plan that has choices to time.
struct Tunable {
  std::size_t entry;  // in the plan
  const lab::Rung* rung;
};

// Found at the smallest size of the variant: that costs no large buffers.
bool has_choices(lab::Device& device, const lab::Target& target, const lab::EntryPlan& entry,
                 const lab::Rung& rung) {
  lab::Size size{entry.variant, entry.dims};
  for (const auto& quick : target.quick)
    if (quick.variant == entry.variant) size = quick;
  const lab::Problem problem = target.problem(size);
  return ProgramStage(device, problem, rung).offers();
}

std::vector<Tunable> tunable_in(lab::Device& device, const lab::Target& target,
                                const lab::RunHeader& header) {
  const auto& info = device.info();
  std::vector<Tunable> found;
  for (std::size_t at = 0; at < header.plan.size(); ++at)
    for (const auto& rung : lab::rungs_of(target)) {
      const auto& planned = header.plan[at].rungs;
      if (std::find(planned.begin(), planned.end(), rung.name) == planned.end() ||
          !lab::runs_on(rung.needs, info.major, info.minor))
        continue;
      if (has_choices(device, target, header.plan[at], rung)) found.push_back({at, &rung});
    }
  if (found.empty())
    base::refuse(base::Exit::usage, own_name, ": ", target.id(),
                 " has no rung with choices to time; ch09:tile_program/tile_program has");
  return found;
}

// For each of what is tuned.
std::vector<double> print_estimate(const lab::RunHeader& header,
                                   const std::vector<Tunable>& tunable, double seconds) {
  lab::RunHeader tuned = header;
  for (auto& entry : tuned.plan) entry.rungs.clear();
  for (const auto& one : tunable) tuned.plan[one.entry].rungs.push_back(one.rung->name);
  const TuneEstimate estimate = estimate_tuning(tuned, seconds);
  for (const auto& line : estimate.lines) std::fprintf(stderr, "aisp: %s\n", line.c_str());
  std::vector<double> of_each;
  for (const auto& one : tunable)
    of_each.push_back(estimate.seconds[one.entry] /
                      static_cast<double>(tuned.plan[one.entry].rungs.size()));
  return of_each;
}

}  // namespace

int tune_program_command(const std::vector<std::string>& words, std::ostream& out) {
  const Options options = read(words);
  lab::load_modules(options.load);
  const lab::Target& target = lab::target_of(own_name, options);
  const lab::RunHeader header = lab::plan_of(own_name, options);
  // Without a GPU this process starts again on the simulator.
  lab::require_device(header, options.device);
  const auto device = lab::open_cuda_device();
  const auto tunable = tunable_in(*device, target, header);
  std::vector<double> expected(tunable.size());
  if (lab::on_simulator() && options.full)
    expected = print_estimate(header, tunable, options.seconds);
  base::Exit exit = base::Exit::good;
  for (std::size_t at = 0; at < tunable.size(); ++at) {
    const lab::EntryPlan& entry = header.plan[tunable[at].entry];
    const lab::Rung& rung = *tunable[at].rung;
    out << entry.entry << ' ' << rung.name << '\n' << std::flush;
    TuneProgress progress(entry, rung.name, at, expected);
    progress.phase("drawing the inputs", 0);
    const lab::Problem problem = target.problem({entry.variant, entry.dims});
    ProgramStage stage(*device, problem, rung,
                       [&](const std::string& what, double share) { progress.phase(what, share); });
    const lab::TuneOutcome outcome = stage.tune(options.seconds);
    progress.wipe();
    print(outcome, device->info().simulated, out);
    out << std::flush;
    const lab::Judgement judgement = stage.judge();
    if (judgement.right) continue;
    progress.wipe();
    out << "  wrong: " << judgement.report << '\n';
    exit = base::Exit::wrong;
  }
  out << std::flush;
  return static_cast<int>(out ? exit : base::Exit::environment);
}

}  // namespace aisp::app
