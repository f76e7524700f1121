#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/cli/commands.hpp"
#include "lab/device/simulator.hpp"

namespace aisp::lab {
namespace {

// What cannot be started is reported alone.
bool can_start(const std::string& program) {
  if (program.find('/') != std::string::npos) return access(program.c_str(), X_OK) == 0;
  const char* const path = base::environment("PATH");
  const auto folders = base::split(path != nullptr ? path : "/bin:/usr/bin", ':');
  return std::any_of(folders.begin(), folders.end(), [&](const std::string& folder) {
    return access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0;
  });
}

// "" for an order that the library will refuse.
std::string order_note(const SimulatorOptions& options) {
  const char* const set = base::environment("AISP_SIM_ORDER");
  const std::string text = set != nullptr && *set != '\0' ? set : "earliest";
  const auto order = options.order ? options.order : value_named<ScheduleOrder>(text);
  if (!order) return "";
  if (*order == ScheduleOrder::earliest)
    return "simulated in order earliest, in which a missing wait may stay unseen; '--order latest' "
           "or 'aisp check' finds missing waits";
  if (*order == ScheduleOrder::latest)
    return "simulated in order latest; 'aisp check' finds missing waits whatever the order";
  const char* const seed = base::environment("AISP_SIM_SEED");
  return base::say("simulated in order random with seed ",
                   !options.seed.empty() ? options.seed
                   : seed != nullptr     ? seed
                                         : "1",
                   "; 'aisp check' finds missing waits whatever the order");
}

}  // namespace

int sim_command(const CommandLine& line) {
  SimulatorOptions options = line.simulator;
  // One seed is to mean one schedule: several threads would add the host's own.
  if (options.order == ScheduleOrder::random && options.threads.empty()) options.threads = "1";
  const std::string note = order_note(options);
  put_simulator_in_front(options);
  if (!options.quiet && !note.empty() && can_start(line.words[0]))
    std::fprintf(stderr, "aisp sim: %s (--quiet: no such line)\n", note.c_str());
  become(line.words);
}

}  // namespace aisp::lab
