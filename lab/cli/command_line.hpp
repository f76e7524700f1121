// What the user typed, as values. Parsing is apart from doing, so that tests can look at it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/check/options.hpp"
#include "lab/device/simulator.hpp"
#include "lab/report/results.hpp"
#include "lab/run/plan/options.hpp"

namespace aisp::lab {

struct CommandLine {
  std::string command;  // "bench run", "doctor", …
  RunOptions run;
  Format format = Format::table;
  bool summaries = false, update_expectations = false, accept_regressions = false;
  bool json = false, measure = false;
  bool verbose = false;              // every skipped rung and every trace, not their counts
  std::vector<std::string> load;     // modules, for every command that knows targets
  std::string chapter;               // list-targets --chapter
  std::string hardware;              // expectations show --hardware
  std::string examples;              // compare --examples
  int limit = 20;                    // history --limit
  std::filesystem::path page;        // report --out
  std::filesystem::path summary;     // report --markdown
  bool open = false, serve = false;  // report
  SimulatorOptions simulator;        // of sim
  CheckOptions check;
  SweepOptions sweep;
  // Positional arguments; of sim the program and its arguments, of an extra command all it was
  // given.
  std::vector<std::string> words;
  std::vector<std::string> as_typed;
};

// Refuses (Exit::usage) what it does not know, with the nearest command. `extra` are names of
// commands that read their words themselves.
CommandLine parse_command_line(const std::vector<std::string>& arguments,
                               const std::vector<std::string>& extra = {});

// Whether a command's name may go on after this word, as in "bench run".
bool begins_two_words(const std::string& word, const std::vector<std::string>& extra);

// --sizes takes words up to the next option, also ones like -4, which must be refused as an extent
// and not as an unknown option: they are joined to one argument.
std::vector<std::string> join_sizes(const std::vector<std::string>& arguments);

}  // namespace aisp::lab
