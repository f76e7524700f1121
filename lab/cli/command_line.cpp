#include "lab/cli/command_line.hpp"

#include <CLI/CLI.hpp>
#include <cctype>
#include <cstdlib>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/check_arguments.hpp"
#include "lab/cli/option_values.hpp"
#include "lab/cli/parse_errors.hpp"
#include "lab/cli/suggestions.hpp"
#include "lab/run/plan/plan.hpp"

namespace aisp::lab {
namespace {

const std::vector<std::string> commands{"bench list-targets",
                                        "bench run",
                                        "sweep",
                                        "compare",
                                        "expectations show",
                                        "expectations check",
                                        "report",
                                        "history",
                                        "doctor",
                                        "sim",
                                        "check",
                                        "help",
                                        "version",
                                        "worker"};

const std::vector<std::string> commands_with_targets{
    "bench list-targets", "bench run",          "sweep",   "compare",
    "expectations show",  "expectations check", "history", "check"};

bool looks_like_option(const std::string& word) {
  return word.size() > 1 && word[0] == '-' &&
         std::isdigit(static_cast<unsigned char>(word[1])) == 0;
}

bool holds(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The command is one word or two; what follows are its arguments.
std::size_t command_length(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& extra) {
  return arguments.size() > 1 && begins_two_words(arguments[0], extra) ? 2 : 1;
}

void require_known(const std::vector<std::string>& arguments, const std::string& command,
                   const std::vector<std::string>& extra) {
  if (holds(commands, command) || holds(extra, command)) return;
  std::vector<std::string> shown(commands.begin(), commands.end() - 1);  // worker is no user's
  shown.insert(shown.end(), extra.begin(), extra.end());
  const bool of_group = arguments.size() > 1 && begins_two_words(arguments[0], extra);
  const std::string list = "'aisp " + (of_group ? arguments[0] : "help") + "' lists the commands";
  if (of_group && looks_like_option(arguments[1]))
    base::refuse(base::Exit::usage, "aisp ", arguments[0], " needs a command in front of ",
                 arguments[1], "; ", list);
  std::vector<std::string> words{arguments[0]};
  if (arguments.size() > 1 && !looks_like_option(arguments[1])) words.push_back(arguments[1]);
  const auto near = nearest_command(words, shown);
  base::refuse(base::Exit::usage, "unknown command '", command, "'",
               near ? "; did you mean 'aisp " + *near + "'? " : "; ", list);
}

void add_format_option(CLI::App& app, CommandLine& line) {
  app.add_option_function<std::string>("--format", [&line](const std::string& text) {
    line.format = parse_format(text, line.command == "bench run");
  });
}

void add_load_option(CLI::App& app, std::vector<std::string>& load) {
  app.add_option("--load", load)->allow_extra_args(false);
}

void add_size_options(CLI::App& app, CommandLine& line) {
  app.add_flag("--quick", line.run.quick);
  app.add_flag("--full", line.run.full);
  app.add_flag("--verbose", line.verbose);
}

// How to measure, for commands that do.
void add_measuring_options(CLI::App& app, RunOptions& run, std::string& rungs) {
  app.add_option("--rungs", rungs);
  app.add_option("--peers", run.peers)->check([](const std::string& text) {
    return text.empty() ? std::string("--peers takes auto, none, all, or names with commas") : "";
  });
  app.add_option("--iterations", run.iterations)->check(CLI::Range(1, 1'000'000));
  app.add_option("--warmup", run.warmup)->check(CLI::Range(1, 1'000'000));
  app.add_option("--seed", run.seed)->check([](const std::string& text) {
    return text.starts_with('-') ? "'" + text + "' is negative" : std::string();
  });
  add_named_option<Timer>(app, "--timer", run.timer);
  add_named_option<L2Mode>(app, "--l2", run.l2);
  app.add_option_function<std::string>(
         "--device", [&run](const std::string& text) { run.device = *device_choice(text); })
      ->check([](const std::string& text) {
        const auto choice = device_choice(text);
        if (!choice) return "'" + text + "' is not auto, gpu or sim";
        return text.find(':') == std::string::npos ? "" : problem_with_device(choice->simulated);
      });
  app.add_flag("--trace", run.trace);
  app.add_option("--out", run.out);
  app.add_option("--resume", run.resume);
  app.add_flag("--trust-library", run.trust_library);
  app.add_option("--time-limit", run.time_limit)->check(problem_with_seconds);
}

void add_run_options(CLI::App& app, CommandLine& line, std::string& rungs, std::string& sizes) {
  RunOptions& run = line.run;
  add_measuring_options(app, run, rungs);
  add_size_options(app, line);
  app.add_option("--targets", run.targets);
  add_named_option<Profile>(app, "--profile", run.profile);
  app.add_option("--sizes", sizes);
  app.add_option("--variant", run.variant);
  app.add_flag("--summaries", line.summaries);
  app.add_flag("--validate", run.validate);
  app.add_flag("--self-check", run.self_check);
  app.add_flag("--update-expectations", line.update_expectations);
  app.add_flag("--accept-regressions", line.accept_regressions);
  add_format_option(app, line);
}

void add_options(CLI::App& app, CommandLine& line, std::string& rungs, std::string& sizes) {
  const std::string& command = line.command;
  if (holds(commands_with_targets, command)) add_load_option(app, line.load);
  if (command == "bench run") {
    add_run_options(app, line, rungs, sizes);
  } else if (command == "bench list-targets") {
    app.add_option("--chapter", line.chapter);
    app.add_flag("--json", line.json);
  } else if (command == "sweep") {
    app.add_option("words", line.words);
    app.add_option("--axis", line.sweep.axes)->allow_extra_args(false);
    app.add_option("--variant", line.sweep.variant);
    add_measuring_options(app, line.run, rungs);
    add_size_options(app, line);
  } else if (command == "compare") {
    app.add_option("words", line.words);
    app.add_option("--examples", line.examples);
    add_size_options(app, line);
    app.add_option("--out", line.run.out);
    add_format_option(app, line);
  } else if (command.starts_with("expectations")) {
    app.add_option("words", line.words);
    app.add_option("--hardware", line.hardware);
    app.add_option("--out", line.run.out);
  } else if (command == "report") {
    app.add_option("words", line.words);
    app.add_option("--chapter", line.chapter);
    app.add_option("--out", line.page);
    app.add_option("--runs", line.run.out);
    app.add_option("--markdown", line.summary);
    app.add_flag("--open", line.open);
    app.add_flag("--serve", line.serve);
  } else if (command == "history") {
    app.add_option("words", line.words);
    app.add_option("--limit", line.limit)->check(CLI::Range(1, 1'000'000));
    app.add_option("--out", line.run.out);
  } else if (command == "doctor") {
    app.add_flag("--measure", line.measure);
    app.add_option("--out", line.run.out);
  } else if (command == "sim") {
    app.add_option("--device", line.simulator.device)->check(problem_with_device);
    app.add_option("--seed", line.simulator.seed)->check(problem_with_seed);
    add_named_option<ScheduleOrder>(app, "--order", line.simulator.order);
    app.add_option("--threads", line.simulator.threads)->check(CLI::Range(1, 1024));
    app.add_flag("--stats", line.simulator.stats);
    app.add_flag("--full-names", line.simulator.full_names);
    app.add_flag("--quiet", line.simulator.quiet);
  } else if (command == "check") {
    add_check_options(app, line.check);
  } else if (command == "worker") {
    app.add_option("--job", line.words)->expected(1);
  } else if (command == "help") {
    app.add_option("words", line.words);
  }
}

// "--peers" without a value asks for all of them.
std::vector<std::string> complete_peers(std::vector<std::string> arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i] == "--peers" &&
        (i + 1 == arguments.size() || looks_like_option(arguments[i + 1])))
      arguments[i] = "--peers=all";
  return arguments;
}

// Splits "--stats -- ./program a b" at the first "--".
std::vector<std::string> take_program(const std::vector<std::string>& arguments,
                                      std::vector<std::string>& program) {
  const auto mark = std::find(arguments.begin(), arguments.end(), "--");
  if (mark == arguments.end() || mark + 1 == arguments.end())
    base::refuse(base::Exit::usage,
                 "sim needs a program behind --: aisp sim [options] -- ./program arguments");
  program.assign(mark + 1, arguments.end());
  return {arguments.begin(), mark};
}

void require_word_count(const CommandLine& line) {
  const auto& words = line.words;
  const std::string see = "; see 'aisp " + line.command + " --help'";
  if (line.command == "compare" && (words.empty() || words.size() > 2))
    base::refuse(base::Exit::usage,
                 "compare needs a chapter, such as 'aisp compare ch09', or two recorded runs, "
                 "'aisp compare RUN_A RUN_B'; got ",
                 words.size(), " words", see);
  if ((line.command == "sweep" || line.command.starts_with("expectations")) && words.size() > 1)
    base::refuse(base::Exit::usage, line.command, " takes one ",
                 line.command == "sweep"               ? "target"
                 : line.command == "expectations show" ? "chapter"
                                                       : "run",
                 ", not '", words[0], "' and '", words[1], "'", see);
}

// The option, if any, that makes no sense where nothing is timed.
std::string needs_gpu(const CommandLine& line) {
  if (line.run.profile == Profile::minimal) return "--profile minimal";
  if (line.run.self_check) return "--self-check";
  return "";
}

void refuse_contradictions(const CommandLine& line) {
  if (line.run.quick && line.run.full) refuse_quick_and_full();
  if (line.accept_regressions && !line.update_expectations)
    base::refuse(base::Exit::usage,
                 "--accept-regressions says which times to write; give --update-expectations too");
  if (line.update_expectations && line.run.validate)
    base::refuse(base::Exit::usage,
                 "--validate times nothing, so there is nothing to --update-expectations with");
  if (const auto option = needs_gpu(line);
      !option.empty() && line.run.device.kind == DeviceKind::simulator)
    base::refuse(base::Exit::usage, option, " needs a GPU: on the simulator nothing is timed");
  if (line.run.trust_library && line.run.resume.empty())
    base::refuse(base::Exit::usage,
                 "--trust-library is for the modules of a run that goes on; give --resume RUN too");
  if (!line.run.resume.empty() && (line.run.targets != "all" || !line.run.sizes.empty()))
    base::refuse(base::Exit::usage,
                 "--resume goes on with the plan of that run; leave --targets and --sizes out");
}

}  // namespace

std::vector<std::string> join_sizes(const std::vector<std::string>& arguments) {
  std::vector<std::string> joined;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] != "--sizes") {
      joined.push_back(arguments[i]);
      continue;
    }
    std::vector<std::string> words;
    while (i + 1 < arguments.size() && !looks_like_option(arguments[i + 1]))
      words.push_back(arguments[++i]);
    joined.push_back("--sizes=" + base::join(words, " "));
  }
  return joined;
}

bool begins_two_words(const std::string& word, const std::vector<std::string>& extra) {
  const auto begins = [&](const std::string& name) { return name.starts_with(word + " "); };
  return std::any_of(commands.begin(), commands.end(), begins) ||
         std::any_of(extra.begin(), extra.end(), begins);
}

CommandLine parse_command_line(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& extra) {
  CommandLine line;
  line.as_typed = arguments;
  const std::size_t length = command_length(arguments, extra);
  for (std::size_t i = 0; i < std::min(length, arguments.size()); ++i)
    line.command += (i == 0 ? "" : " ") + arguments[i];
  require_known(arguments, line.command, extra);

  std::vector<std::string> own(arguments.begin() + static_cast<long>(length), arguments.end());
  if (holds(extra, line.command)) {
    line.words = own;
    return line;
  }
  // What `aisp sim` and `aisp check` run is not ours to parse.
  if (line.command == "sim") own = take_program(own, line.words);
  if (line.command == "check") own = take_checked_program(own, line.check.program);

  CLI::App app;
  app.set_help_flag();  // the help text is docs/cli.md
  std::string rungs, sizes;
  bool sizes_given = false;
  add_options(app, line, rungs, sizes);
  std::vector<std::string> rest = join_sizes(complete_peers(own));
  for (const auto& word : rest) sizes_given = sizes_given || word.starts_with("--sizes=");
  const std::vector<std::string> in_order = rest;
  std::reverse(rest.begin(), rest.end());  // CLI11 takes them last first
  try {
    app.parse(rest);
  } catch (const CLI::ParseError& error) {
    refuse_parse_error(app, line.command, in_order, error);
  }
  require_word_count(line);
  if (!rungs.empty()) line.run.rungs = base::split(rungs, ',');
  if (sizes_given) line.run.sizes = base::split(sizes, ' ');
  refuse_contradictions(line);
  if (line.command == "check") {
    line.check.load = line.load;
    refuse_check_contradictions(line.check);
  }
  // Counted times are expected only of whoever asks for the simulator by name.
  if ((line.update_expectations || !needs_gpu(line).empty()) &&
      line.run.device.kind == DeviceKind::automatic)
    line.run.device.kind = DeviceKind::gpu;
  return line;
}

}  // namespace aisp::lab
