#include "lab/cli/check_arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "base/refuse.hpp"
#include "lab/cli/option_values.hpp"
#include "lab/device/simulator.hpp"
#include "lab/run/plan/plan.hpp"

namespace aisp::lab {

void add_check_options(CLI::App& app, CheckOptions& check) {
  app.add_option("--targets", check.targets);
  app.add_flag("--quick", check.quick);
  app.add_flag("--full", check.full);
  app.add_option("--device", check.device)->check(problem_with_device);
  add_named_option<ScheduleOrder>(app, "--order", check.order);
  app.add_option("--seed", check.seed)->check(problem_with_seed);
  app.add_option("--explore", check.explore)->check(CLI::Range(1, 1'000'000));
  app.add_flag("--keep-going", check.keep_going);
  add_named_option<CheckFormat>(app, "--format", check.format);
  app.add_option("--out", check.out);
  app.add_option("--suppressions", check.suppressions);
  app.add_flag("--uninitialised", check.uninitialised);
  app.add_flag("--advice", check.advice);
  app.add_flag("--strict", check.strict);
  app.add_flag("--full-names", check.full_names);
  app.add_option("--max", check.max)->check(CLI::Range(1, 1'000'000));
  app.add_option("--timeout", check.timeout)->check(problem_with_seconds);
  app.add_flag("--all", check.all);
  app.add_flag("--rules", check.rules);
  app.add_option("--explain", check.explain);
}

std::size_t check_program_at(const std::vector<std::string>& words) {
  // Options whose value is a word of its own.
  static const std::vector<std::string> valued{
      "--targets", "--device", "--order",        "--seed",    "--explore", "--format",
      "--out",     "--max",    "--suppressions", "--timeout", "--load",    "--explain"};
  std::size_t at = 0;
  while (at < words.size() && words[at] != "--" && words[at].starts_with('-'))
    at += std::find(valued.begin(), valued.end(), words[at]) != valued.end() ? 2 : 1;
  return std::min(at, words.size());
}

std::vector<std::string> take_checked_program(const std::vector<std::string>& words,
                                              std::vector<std::string>& program) {
  const auto at = words.begin() + static_cast<long>(check_program_at(words));
  program.assign(at != words.end() && *at == "--" ? at + 1 : at, words.end());
  return {words.begin(), at};
}

void refuse_check_contradictions(const CheckOptions& check) {
  const auto refuse = [](const auto&... parts) { base::refuse(base::Exit::usage, parts...); };
  if (check.rules || check.explain) return;
  if (check.program.empty() == check.targets.empty())
    refuse("check needs a program or --targets", check.program.empty() ? "" : ", not both",
           ": aisp check [options] -- ./program arguments");
  if (check.quick && check.full) refuse_quick_and_full();
  if ((check.quick || check.full) && check.targets.empty())
    refuse("--quick and --full choose sizes of --targets; a program has its own");
  if (!check.load.empty() && check.targets.empty())
    refuse("--load brings targets; say with --targets which of them, not a program");
  if (check.explore > 0 && check.order) refuse("--explore runs every order; leave --order out");
  if (check.explore == 0 && check.keep_going)
    refuse("--keep-going is about the schedules of --explore; give it too");
  if (check.explore == 0 && check.seed && check.order != ScheduleOrder::random)
    refuse("--seed is of a random schedule; give --order random or --explore N too");
}

}  // namespace aisp::lab
