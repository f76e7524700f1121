#include <unistd.h>

#include <cstdio>

#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/check/program.hpp"
#include "lab/check/report.hpp"
#include "lab/check/rules.hpp"
#include "lab/cli/commands.hpp"
#include "lab/record/file.hpp"

namespace aisp::lab {
namespace {

// An option, else the environment's choice, as everywhere on the simulator.
std::string chosen(const std::string& option, const char* variable) {
  const char* set = base::environment(variable);
  return option.empty() && set != nullptr ? set : option;
}

ScheduleOrder chosen_order(const CheckOptions& options) {
  if (options.order) return *options.order;
  const std::string text = chosen("", "AISP_SIM_ORDER");
  if (text.empty()) return ScheduleOrder::earliest;
  if (const auto order = value_named<ScheduleOrder>(text)) return *order;
  base::refuse(base::Exit::environment, "AISP_SIM_ORDER=", text, " is none of ",
               base::join(all_names<ScheduleOrder>(), ", "));
}

ExploreOptions explore_options(const CheckOptions& options) {
  ExploreOptions explore{.seeds = options.explore, .keep_going = options.keep_going};
  Schedule& first = explore.base;
  first.device = chosen(options.device, "AISP_SIM_DEVICE");
  first.seed = 1;
  if (options.seed) first.seed = *options.seed;
  if (options.explore > 0) return explore;
  first.order = chosen_order(options);
  if (const auto seed = chosen("", "AISP_SIM_SEED"); !options.seed && !seed.empty())
    first.seed = static_cast<std::uint64_t>(base::parse_integer(seed).value_or(1));
  return explore;
}

// The chapters' own cases check their numbers: this program again, on the simulator, in a folder
// that goes away.
std::vector<std::string> bench_words(const CheckOptions& options, const std::string& device,
                                     const std::filesystem::path& out) {
  std::error_code none;
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe", none).string(),
                                 "bench",
                                 "run",
                                 options.full ? "--full" : "--quick",
                                 "--validate",
                                 "--targets",
                                 options.targets,
                                 "--device",
                                 device.empty() ? "sim" : "sim:" + device,
                                 "--time-limit",
                                 base::say(options.timeout),
                                 "--out",
                                 out.string()};
  for (const auto& module : options.load) words.insert(words.end(), {"--load", module});
  return words;
}

class Checker {
 public:
  explicit Checker(const CheckOptions& options) : options_(options), input_(options.explore > 0) {
    program_ = {.words = options.program, .timeout = options.timeout};
    if (options.uninitialised)
      program_.environment.emplace_back("AISP_SIM_HAZARDS_UNINITIALISED", "1");
    if (options.advice) program_.environment.emplace_back("AISP_SIM_HAZARDS_ADVICE", "1");
    if (!of_targets()) return;
    program_.preload = false;
    program_.environment.emplace_back("AISP_HOME", (scratch_.path() / "home").string());
  }

  CheckRun run(const Schedule& schedule, ProgramOutput output) {
    if (of_targets())
      program_.words = bench_words(options_, schedule.device, scratch_.path() / "runs");
    // Full sizes take long: the estimate and the progress are shown as they come.
    const bool live = output == ProgramOutput::live && (!of_targets() || options_.full);
    WatchedRun watched = run_watched(program_, schedule, live, input_, interrupt_);
    if (watched.run.interrupted) return watched.run;
    for (Hazard& hazard : watched.run.hazards)
      if (options_.strict && hazard.level == base::HazardLevel::formal)
        hazard.level = base::HazardLevel::error;
    if (of_targets()) refuse_what_bench_refused(watched);
    if (output != ProgramOutput::never && watched.run.failed())
      std::fputs(watched.output.c_str(), stderr);
    refuse_unwatched(watched);
    return watched.run;
  }

 private:
  bool of_targets() const { return !options_.targets.empty(); }

  void refuse_what_bench_refused(const WatchedRun& watched) const {
    using base::Exit;
    if (!watched.run.hazards.empty()) return;
    if (watched.run.exit == static_cast<int>(Exit::usage))
      base::refuse(Exit::usage, last_words(watched.output));
    if (watched.run.exit != static_cast<int>(Exit::environment)) return;
    std::fputs(watched.output.c_str(), stderr);
    base::refuse(Exit::environment, "nothing of ", options_.targets, " could run on the simulator");
  }

  void refuse_unwatched(const WatchedRun& watched) const {
    if (watched.files > 0 || watched.run.timed_out) return;
    if (of_targets())
      base::refuse(base::Exit::environment, "no kernel of ", options_.targets,
                   " ran on the simulator");
    base::refuse(base::Exit::environment, "no CUDA call of ", program_.words[0],
                 " reached the simulator, it ended with ", end_of(watched.run, options_.timeout),
                 "; a program to check is linked with nvcc's -cudart shared");
  }

  const CheckOptions& options_;
  ProgramInput input_;
  Interrupt interrupt_;
  ScratchFolder scratch_;
  WatchedProgram program_;
};

// Known before an hour of running, not after.
void refuse_bad_places(const CheckOptions& options) {
  simulator_library();
  if (options.out.empty()) return;
  const auto folder = std::filesystem::absolute(options.out).parent_path();
  if (access(folder.c_str(), W_OK) != 0) refuse_file("write into", folder, "choose another --out");
}

std::string written(const CheckReport& report) {
  if (report.options.format == CheckFormat::json) return json_report(report);
  if (report.options.format == CheckFormat::sarif) return sarif_report(report);
  const char* colourless = base::environment("NO_COLOR");
  const bool colour =
      report.options.out.empty() && colourless == nullptr && isatty(STDOUT_FILENO) != 0;
  return text_report(report, colour);
}

}  // namespace

int check_command(const CommandLine& line) {
  const CheckOptions& options = line.check;
  if (options.full_names) setenv("AISP_SIM_FULL_NAMES", "1", 1);  // for what it starts, too
  if (options.rules) {
    std::fputs(rules_page().c_str(), stdout);
    return 0;
  }
  if (options.explain) {
    std::fputs(explanation_of(*options.explain).c_str(), stdout);
    return 0;
  }
  refuse_bad_places(options);
  std::vector<Suppression> suppressions;
  if (!options.suppressions.empty())
    suppressions =
        parse_suppressions(read_whole(options.suppressions), options.suppressions.string());

  Checker checker(options);
  Exploration found = explore(
      explore_options(options),
      [&](const Schedule& schedule, ProgramOutput output) { return checker.run(schedule, output); },
      [&](const Hazard& hazard) {
        return hazard.level == base::HazardLevel::error &&
               covering(suppressions, hazard) == nullptr;
      });
  const CheckReport report =
      make_report(options, std::move(found), suppressions, std::filesystem::current_path());
  const std::string text = written(report);
  if (options.out.empty())
    std::fputs(text.c_str(), stdout);
  else
    replace_file(options.out, text, "choose another --out");
  // Programs read the rest; people see how it went either way.
  if (!options.out.empty() || options.format != CheckFormat::text)
    std::fprintf(stderr, "%s\n", summary_line(report).c_str());
  return exit_of(report);
}

}  // namespace aisp::lab
