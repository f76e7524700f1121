#include "base/refuse.hpp"
#include "lab/cli/commands.hpp"
#include "lab/device/simulator.hpp"

namespace aisp::lab {

int sim_command(const CommandLine& line) {
  SimulatorOptions options = line.simulator;
  // One seed is to mean one schedule: several threads would add the host's own.
  if (options.order == ScheduleOrder::random && options.threads.empty()) options.threads = "1";
  put_simulator_in_front(options);
  become(line.words);
}

}  // namespace aisp::lab
