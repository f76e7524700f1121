#include "lab/run/plan/plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/catalog.hpp"
#include "lab/case/registry.hpp"
#include "lab/case/sizes.hpp"
#include "lab/device/device.hpp"
#include "lab/device/simulator.hpp"
#include "lab/measure/ceilings.hpp"
#include "lab/module/load.hpp"
#include "lab/run/plan/build_info.hpp"
#include "lab/run/plan/peer_choice.hpp"

namespace aisp::lab {
namespace {

std::string stamp(const char* format) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, format, &parts);
  return text;
}

bool takes(const Rung& rung, const std::string& variant) {
  return rung.variants.empty() ||
         std::find(rung.variants.begin(), rung.variants.end(), variant) != rung.variants.end();
}

// The ladder of one variant with the peers that are wanted: what --rungs names, or the two ends of
// the ladder, or all.
std::vector<std::string> rungs_for(const Target& target, const std::string& variant,
                                   const RunOptions& options) {
  std::vector<std::string> ladder, peers;
  for (const auto& rung : rungs_of(target))
    if (takes(rung, variant) && (!rung.peer || wants_peer(rung, options)))
      (rung.peer ? peers : ladder).push_back(rung.name);
  if (options.ends_only && ladder.size() > 2) ladder = {ladder.front(), ladder.back()};
  if (!options.ends_only) ladder.insert(ladder.end(), peers.begin(), peers.end());
  if (options.self_check && options.rungs.empty() && !ladder.empty()) ladder.resize(1);
  if (options.rungs.empty()) return ladder;
  std::erase_if(ladder, [&](const std::string& name) {
    return std::find(options.rungs.begin(), options.rungs.end(), name) == options.rungs.end();
  });
  return ladder;
}

// Where a size of a sweep lies on its axes.
std::vector<std::int64_t> values_at(const RunOptions& options,
                                    const std::vector<std::int64_t>& dims) {
  const auto place = std::find(options.extents.begin(), options.extents.end(), dims);
  if (options.at.empty() || place == options.extents.end()) return {};
  return options.at[static_cast<std::size_t>(place - options.extents.begin())];
}

// A rung name that no selected target has is a typo, not an empty selection.
void refuse_unknown_rungs(const std::vector<Selection>& selected, const RunOptions& options) {
  std::vector<std::string> known;
  for (const auto& selection : selected)
    for (const auto& rung : rungs_of(*selection.target)) known.push_back(rung.name);
  for (const auto& name : options.rungs) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const auto near = base::nearest(name, known);
    base::refuse(base::Exit::usage, "unknown rung '", name, "' in --rungs",
                 near ? "; did you mean '" + *near + "'? " : "; ",
                 "'aisp bench list-targets' shows the rungs of each target");
  }
}

bool needs_ceilings(const EntryPlan& entry) {
  return !entry.target.starts_with(std::string(roof_chapter) + ":");
}

// A process cannot change what it runs on.
void require_simulated(const std::string& device) {
  const char* here = std::getenv("AISP_SIM_DEVICE");
  const std::string pretended = here != nullptr ? here : simulated_devices().front();
  if (!device.empty() && device != pretended)
    base::refuse(base::Exit::usage, "--device sim:", device,
                 ": this process runs on the simulator as ", pretended);
}

}  // namespace

std::string utc_now() { return stamp("%Y-%m-%dT%H:%M:%SZ"); }

void refuse_quick_and_full() {
  base::refuse(base::Exit::usage,
               "--quick asks for the small sizes and --full for the full ones; give one of them");
}

bool takes_quick_sizes(const RunOptions& options) {
  return options.quick || (!options.full && on_simulator());
}

RunHeader plan_run(const RunOptions& options, const std::vector<std::string>& command) {
  const auto selected = select_targets(options.targets);
  const auto given = options.extents.empty() ? parse_sizes(options.sizes) : options.extents;
  refuse_unknown_rungs(selected, options);
  refuse_unknown_peers(selected, options);
  const bool quick = takes_quick_sizes(options);
  RunHeader header{.id = base::say(stamp("%Y%m%d-%H%M%S"), '-', getpid()),
                   .started = utc_now(),
                   .version = version,
                   .commit = commit,
                   .command = command,
                   .timer = options.timer,
                   .l2 = options.l2,
                   .seed = options.seed,
                   .iterations = options.iterations,
                   .warmup = options.warmup,
                   .profile = options.profile,
                   .validate = options.validate,
                   .time_limit = options.time_limit,
                   .self_check = options.self_check ? self_check_repetitions : 0,
                   .plan = options.before,
                   .trace = options.trace,
                   .modules = loaded_modules(),
                   .sweep = options.sweep};
  for (const auto& [target, variant] : selected) {
    const std::string& only = options.variant.empty() ? variant : options.variant;
    for (const auto& size : sizes_to_run(*target, only, quick, given)) {
      target->problem(size);  // refuses a size the target cannot take, before anything runs
      EntryPlan entry{.entry = target->id() + "/" + size.label(),
                      .target = target->id(),
                      .variant = size.variant,
                      .dims = size.dims,
                      .rungs = rungs_for(*target, size.variant, options),
                      .at = values_at(options, size.dims)};
      if (!entry.rungs.empty()) header.plan.push_back(std::move(entry));
    }
  }
  if (header.plan.size() == options.before.size())
    base::refuse(base::Exit::usage, "nothing to run: no rung of ", options.targets,
                 " matches --rungs ", base::join(options.rungs, ","),
                 value_named<PeerChoice>(options.peers) == PeerChoice::automatic
                     ? ""
                     : " with --peers " + options.peers);
  return header;
}

bool needs_cuda(const EntryPlan& entry) {
  const Target* target = find_target(entry.target);
  return target != nullptr &&
         std::any_of(rungs_of(*target).begin(), rungs_of(*target).end(),
                     [](const Rung& rung) { return rung.needs != Needs::host; });
}

void require_device(const RunHeader& header, const DeviceChoice& choice) {
  if (std::none_of(header.plan.begin(), header.plan.end(), needs_cuda)) return;
  if (on_simulator() && choice.kind == DeviceKind::gpu)
    base::refuse(base::Exit::environment,
                 "--device gpu: this process runs on the simulator; start it without LD_PRELOAD");
  if (on_simulator()) return require_simulated(choice.simulated);
  if (choice.kind == DeviceKind::simulator) restart_on_simulator({.device = choice.simulated});
  const auto why = why_no_cuda_device();
  if (why.empty()) return;
  if (choice.kind == DeviceKind::automatic) restart_on_simulator({});
  base::refuse(base::Exit::environment, "no GPU to run on: ", why,
               "; 'aisp doctor' shows what is missing, --device sim runs on the simulator");
}

void require_readable_ceilings(const RunHeader& header) {
  if (std::none_of(header.plan.begin(), header.plan.end(), needs_ceilings)) return;
  const bool cuda = std::any_of(header.plan.begin(), header.plan.end(), needs_cuda);
  const DeviceRecord device = cuda ? cuda_device_info() : open_host_device()->info();
  if (!device.simulated) load_ceilings(ceilings_path(device.hardware, device.uuid));
}

}  // namespace aisp::lab
