#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <new>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/check_arguments.hpp"
#include "lab/cli/commands.hpp"
#include "lab/cli/help.hpp"
#include "lab/device/cuda_runtime.hpp"
#include "lab/device/simulator.hpp"
#include "lab/module/load.hpp"
#include "lab/run/plan/build_info.hpp"
#include "lab/run/worker.hpp"

namespace aisp::lab {
namespace {

int print_help(const std::string& command) {
  std::fputs(help_text(command).c_str(), stdout);
  return 0;
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  auto own_end = std::find(arguments.begin(), arguments.end(), "--");
  if (!arguments.empty() && arguments[0] == "check") {
    const auto at = check_program_at({arguments.begin() + 1, arguments.end()});
    own_end = arguments.begin() + 1 + static_cast<long>(at);
  }
  return arguments.empty() || std::find(arguments.begin(), own_end, "--help") != own_end ||
         std::find(arguments.begin(), own_end, "-h") != own_end;
}

// The words before the first option: "bench run --help" asks about "bench run".
std::string command_words(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& extra) {
  std::vector<std::string> words;
  for (const auto& word : arguments) {
    if (word.starts_with("-") || words.size() == 2) break;
    words.push_back(word);
  }
  if (words.size() == 2 && !begins_two_words(words[0], extra)) words.pop_back();
  if (!words.empty() && words[0] == "expectations") words.resize(1);
  return base::join(words, " ");
}

std::vector<std::string> names_of(const std::vector<ExtraCommand>& extra) {
  std::vector<std::string> names;
  for (const auto& command : extra) names.push_back(command.name);
  return names;
}

int print_version() {
  std::printf("aisp %s (%s)\n", version.c_str(), commit.c_str());
  return 0;
}

int dispatch(const CommandLine& line, const std::vector<ExtraCommand>& extra) {
  std::map<std::string, std::function<int(const CommandLine&)>> commands{
      {"bench list-targets", list_targets},
      {"bench run", bench_run},
      {"sweep", sweep_command},
      {"compare", compare_command},
      {"expectations show", expectations_show},
      {"expectations check", expectations_check},
      {"report", report_command},
      {"history", history_command},
      {"doctor", doctor},
      {"sim", sim_command},
      {"check", check_command},
      {"help", [](const CommandLine& help) { return print_help(base::join(help.words, " ")); }},
      {"version", [](const CommandLine&) { return print_version(); }},
      {"worker", [](const CommandLine& worker) {
         return worker_main(worker.words.empty() ? "" : worker.words.front());
       }}};
  for (const auto& command : extra)
    commands[command.name] = [&](const CommandLine& given) { return command.run(given.words); };
  return commands.at(line.command)(line);
}

}  // namespace

int run_cli(int count, char** words, const std::vector<ExtraCommand>& extra) {
  const std::vector<std::string> arguments(words + 1, words + count);
  try {
    if (asks_for_help(arguments)) return print_help(command_words(arguments, names_of(extra)));
    if (arguments[0] == "--version") return print_version();
    // A group without a command lists its commands.
    if (arguments.size() == 1 && begins_two_words(arguments[0], names_of(extra)))
      return print_help(arguments[0]);
    const CommandLine line = parse_command_line(arguments, names_of(extra));
    // Modules are linked with a CUDA runtime. Where there is none at all, say what is missing.
    if (!line.load.empty() && cuda_runtime() == CudaRuntime::none) simulator_library();
    load_modules(line.load);
    return dispatch(line, extra);
  } catch (const base::Refusal& refusal) {
    std::fprintf(stderr, "aisp: %s\n", refusal.what());
    return static_cast<int>(refusal.exit());
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "aisp: out of host memory; choose smaller --sizes or --quick\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "aisp: %s\n", error.what());
  }
  return static_cast<int>(base::Exit::environment);
}

}  // namespace aisp::lab
