#include "app/tune/program_command.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/tune/program_stage.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/module/load.hpp"
#include "lab/report/sweep_scale.hpp"
#include "lab/run/estimate.hpp"
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

}  // namespace

int tune_program_command(const std::vector<std::string>& words, std::ostream& out) {
  const Options options = read(words);
  lab::load_modules(options.load);
  const lab::Target& target = lab::target_of(own_name, options);
  const lab::RunHeader header = lab::plan_of(own_name, options);
  // Without a GPU this process starts again on the simulator.
  lab::require_device(header, options.device);
  if (lab::on_simulator() && options.full)
    for (const auto& line : lab::estimate_of_rungs(header))
      std::fprintf(stderr, "aisp: %s\n", line.c_str());
  const auto device = lab::open_cuda_device();
  int tuned = 0;
  base::Exit exit = base::Exit::good;
  for (const auto& entry : header.plan)
    for (const auto& rung : lab::rungs_of(target)) {
      if (std::find(entry.rungs.begin(), entry.rungs.end(), rung.name) == entry.rungs.end() ||
          !lab::runs_on(rung.needs, device->info().major, device->info().minor))
        continue;
      const lab::Problem problem = target.problem({entry.variant, entry.dims});
      ProgramStage stage(*device, problem, rung);
      if (!stage.offers()) continue;
      ++tuned;
      out << entry.entry << ' ' << rung.name << '\n';
      const lab::TuneOutcome outcome = stage.tune(options.seconds);
      print(outcome, device->info().simulated, out);
      const lab::Judgement judgement = stage.judge();
      if (judgement.right) continue;
      out << "  wrong: " << judgement.report << '\n';
      exit = base::Exit::wrong;
    }
  if (tuned == 0)
    base::refuse(base::Exit::usage, own_name, ": ", target.id(),
                 " has no rung with choices to time; ch09:tile_program/tile_program has");
  out << std::flush;
  return static_cast<int>(out ? exit : base::Exit::environment);
}

}  // namespace aisp::app
