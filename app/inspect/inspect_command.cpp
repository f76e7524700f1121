#include "app/inspect/inspect_command.hpp"

#include <algorithm>

#include "app/inspect/options.hpp"
#include "app/inspect/rung_report.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/device/device.hpp"
#include "lab/module/load.hpp"
#include "lab/run/plan/plan.hpp"

namespace aisp::app {
namespace {

const lab::Target& one_target(const std::string& word) {
  const auto selected = lab::select_targets(word);
  if (selected.size() != 1)
    base::refuse(base::Exit::usage, "inspect takes one target, and '", word, "' is ",
                 selected.size(), "; the first of them is ", selected.front().target->id());
  return *selected.front().target;
}

void require_among(const std::string& name, const std::vector<std::string>& known,
                   const std::string& owner, const char* kind) {
  if (name.empty() || std::find(known.begin(), known.end(), name) != known.end()) return;
  const auto meant = base::nearest(name, known);
  base::refuse(base::Exit::usage, owner, " has no ", kind, " '", name, "'; ",
               meant ? "did you mean " + *meant + "? " : "", "it has ", base::join(known, ", "));
}

// The sizes of the target that come into question, each with the rungs that take it.
lab::RunHeader planned(const InspectOptions& options, const lab::Target& target) {
  std::vector<std::string> rungs;
  for (const auto& rung : lab::rungs_of(target)) rungs.push_back(rung.name);
  require_among(options.rung, rungs, target.id(), "rung");
  require_among(options.variant, target.variants, target.id(), "variant");
  lab::RunOptions run;
  run.targets = options.target;
  run.variant = options.variant;
  run.sizes = options.size;
  run.quick = !options.full;
  if (options.rung.empty())
    run.peers = lab::name_of(lab::PeerChoice::none);
  else
    run.rungs = {options.rung};
  return lab::plan_run(run, {"inspect"});
}

const lab::EntryPlan* first_with(const lab::RunHeader& header, const std::string& rung) {
  for (const auto& entry : header.plan)
    if (std::find(entry.rungs.begin(), entry.rungs.end(), rung) != entry.rungs.end()) return &entry;
  return nullptr;
}

}  // namespace

int inspect_command(const std::vector<std::string>& words, std::ostream& out) {
  const InspectOptions options = read_inspect_options(words);
  lab::load_modules(options.load);
  const lab::Target& target = one_target(options.target);
  const lab::RunHeader header = planned(options, target);
  // Without a GPU this process starts again on the simulator.
  lab::require_device(header, options.device);
  const auto device =
      lab::needs_cuda(header.plan.front()) ? lab::open_cuda_device() : lab::open_host_device();
  int files = 0;
  std::string refused;
  base::Exit exit = base::Exit::good;
  for (const auto& rung : lab::rungs_of(target)) {
    const lab::EntryPlan* entry = first_with(header, rung.name);
    if (entry == nullptr) continue;
    const RungReport report =
        inspect_rung(*device, target, rung, {entry->variant, entry->dims}, options, out);
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
