#include "app/inspect/inspect_command.hpp"

#include <cstdio>

#include "app/inspect/options.hpp"
#include "app/inspect/rung_report.hpp"
#include "base/refuse.hpp"
#include "lab/case/registry.hpp"
#include "lab/device/device.hpp"
#include "lab/module/load.hpp"
#include "lab/run/estimate.hpp"
#include "lab/run/plan/plan.hpp"
#include "lab/run/plan/rung_choice.hpp"

namespace aisp::app {

namespace {

// What is captured takes no time, whatever its size: only a rung that runs is worth an estimate.
void print_estimate(const InspectOptions& options, const lab::RunHeader& header,
                    const lab::EntryPlan& entry, const std::string& rung) {
  if (!lab::on_simulator() || !options.full) return;
  lab::RunHeader shown = header;
  shown.plan = {entry};
  shown.plan.front().rungs = {rung};
  std::fprintf(stderr, "aisp: %s cannot be captured as a graph and runs once\n", rung.c_str());
  for (const auto& line : lab::estimate_of_rungs(shown))
    std::fprintf(stderr, "aisp: %s\n", line.c_str());
}

}  // namespace

int inspect_command(const std::vector<std::string>& words, std::ostream& out) {
  const InspectOptions options = read_inspect_options(words);
  lab::load_modules(options.load);
  const lab::Target& target = lab::target_of("inspect", options);
  const lab::RunHeader header = lab::plan_of("inspect", options);
  // Without a GPU this process starts again on the simulator.
  lab::require_device(header, options.device);
  const auto device =
      lab::needs_cuda(header.plan.front()) ? lab::open_cuda_device() : lab::open_host_device();
  int files = 0;
  std::string refused;
  base::Exit exit = base::Exit::good;
  for (const auto& rung : lab::rungs_of(target)) {
    const lab::EntryPlan* entry = lab::first_with(header, rung.name);
    if (entry == nullptr) continue;
    const RungReport report =
        inspect_rung(*device, target, rung, {entry->variant, entry->dims}, options, out,
                     [&] { print_estimate(options, header, *entry, rung.name); });
    files += report.files;
    if (!report.refused.empty()) refused = report.refused;
    if (!report.failed.empty()) exit = base::Exit::wrong;
  }
  out << std::flush;
  if (exit == base::Exit::good && files == 0)
    base::refuse(base::Exit::environment, "nothing to look at: ",
                 refused.empty() ? target.id() + " has none of what --what asks for" : refused);
  return static_cast<int>(out ? exit : base::Exit::environment);
}

}  // namespace aisp::app
