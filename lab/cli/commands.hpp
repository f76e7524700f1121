// The commands of `aisp`. Each returns the exit code; what the user did wrong is a base::Refusal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/cli/command_line.hpp"

namespace aisp::lab {

int list_targets(const CommandLine& line);
int bench_run(const CommandLine& line);
int sweep_command(const CommandLine& line);
int compare_command(const CommandLine& line);
int expectations_show(const CommandLine& line);
int expectations_check(const CommandLine& line);
int report_command(const CommandLine& line);
int history_command(const CommandLine& line);
int doctor(const CommandLine& line);
int sim_command(const CommandLine& line);  // becomes the program
int check_command(const CommandLine& line);

// A command that the lab knows nothing of: it may use what the lab may not include.
struct ExtraCommand {
  std::string name;  // one word or two; "## aisp <name>" in docs/cli.md is its help
  std::function<int(const std::vector<std::string>& words)> run;  // the words after its name
};

// The whole program.
int run_cli(int count, char** words, const std::vector<ExtraCommand>& extra = {});

}  // namespace aisp::lab
