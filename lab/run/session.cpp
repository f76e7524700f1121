#include "lab/run/session.hpp"

#include <algorithm>

#include "base/refuse.hpp"
#include "lab/device/device.hpp"
#include "lab/device/simulator.hpp"
#include "lab/module/load.hpp"
#include "lab/module/trust.hpp"
#include "lab/record/history.hpp"
#include "lab/run/estimate.hpp"
#include "lab/run/plan/peer_choice.hpp"
#include "lab/run/plan/plan.hpp"
#include "lab/run/profiling.hpp"

namespace aisp::lab {
namespace {

// Counted and measured times do not belong into one run, nor those of two pretended devices.
void refuse_other_device(const RunFile& run, const DeviceRecord& here) {
  const DeviceRecord& there = *run.device;
  if (there.simulated == here.simulated &&
      (!here.simulated ||
       (there.hardware == here.hardware && there.multiprocessors == here.multiprocessors &&
        there.simulated_devices == here.simulated_devices)))
    return;
  const auto describe = [](const DeviceRecord& device) {
    const int several = device.simulated_devices;
    return base::say(several > 1 ? base::say(several, " x ") : "", device.name, " with ",
                     device.multiprocessors, " multiprocessors");
  };
  base::refuse(base::Exit::usage, "run ", run.header.id, " was made on ", describe(there),
               " and cannot go on on ", describe(here), "; choose with --device");
}

// What an automatic choice means when a run goes on: what it began on.
DeviceChoice same_device(const RunFile& run, const DeviceChoice& choice) {
  if (choice.kind != DeviceKind::automatic || on_simulator()) return choice;
  if (!run.device->simulated) return {.kind = DeviceKind::gpu, .simulated = {}};
  const std::string& hardware = run.device->hardware;  // "h200-simulated"
  const int devices = run.device->simulated_devices;
  return {.kind = DeviceKind::simulator,
          .simulated = base::say(hardware.substr(0, hardware.find('-')),
                                 ",sms=", run.device->multiprocessors,
                                 devices > 1 ? base::say(",gpus=", devices) : "")};
}

// A run writes below its own folder alone, whoever made that folder.
void refuse_links(const std::filesystem::path& folder) {
  for (const char* name : {"traces", "profiles"})
    if (std::filesystem::is_symlink(folder / name))
      base::refuse(base::Exit::usage, (folder / name).string(),
                   " is a symbolic link, and a run writes only below its own folder; put a folder "
                   "in its place");
}

}  // namespace

Session::Session(const RunOptions& options, const std::vector<std::string>& command,
                 RunObserver& observer)
    : options_(options), observer_(observer) {
  if (options.resume.empty())
    start(command);
  else
    resume();
  worker_profile_ = profile_in_workers(run_.header, observer_);
}

void Session::start(const std::vector<std::string>& command) {
  run_.header = plan_run(options_, command);
  const auto& plan = run_.header.plan;
  require_device(run_.header, options_.device);
  if (on_simulator() && options_.device.kind == DeviceKind::automatic &&
      std::any_of(plan.begin(), plan.end(), needs_cuda))
    observer_.warn("no GPU: this run is simulated and shows counts in place of times");
  // On the simulator each says for itself that it cannot run there.
  if (!on_simulator())
    for (const auto& line : leave_out_absent_peers(run_.header)) observer_.warn(line);
  require_readable_ceilings(run_.header);
  folder_ = options_.out / run_.header.id;
  if (on_simulator() && needs_estimate(run_.header, !takes_quick_sizes(options_))) estimate();
}

void Session::estimate() {
  const RunsPerRung each = runs_of_bench(run_.header);
  const auto entries = estimate_run(run_.header, each, interrupt_, &observer_);
  for (const auto& line : estimate_lines(entries, each, run_.header)) observer_.warn(line);
  observer_.expects(expected_seconds(entries, run_.header));
}

void Session::resume() {
  folder_ = find_run(options_.resume, options_.out);
  if (!std::filesystem::is_directory(folder_)) folder_ = folder_.parent_path();
  refuse_links(folder_);
  journal_ = std::make_unique<Journal>(folder_, Journal::Open::resume);
  run_ = read_run(folder_);
  if (!journal_->warning().empty()) observer_.warn(journal_->warning());
  if (!options_.trust_library) require_remembered(run_.header.modules);
  load_again(run_.header.modules);
  if (run_.header.self_check > 0)
    base::refuse(base::Exit::usage, "run ", run_.header.id,
                 " is a self-check, whose repetitions belong together; start a new one");
  const bool on_device = run_.device && run_.device->major > 0;
  require_device(run_.header, on_device ? same_device(run_, options_.device) : options_.device);
  if (on_device) refuse_other_device(run_, cuda_device_info());
  require_readable_ceilings(run_.header);
}

bool Session::run() {
  if (!journal_) {
    journal_ = std::make_unique<Journal>(folder_, Journal::Open::fresh);
    journal_->append(run_.header);
  }
  Supervisor supervisor(*journal_, run_, folder_, interrupt_, observer_, worker_profile_);
  interrupted_ =
      !supervisor.run_all() || !profile_entries(*journal_, run_, folder_, interrupt_, observer_);
  return !interrupted_;
}

bool Session::measure_again(const std::set<std::string>& entries) {
  Supervisor supervisor(*journal_, run_, folder_, interrupt_, observer_, Profile::none);
  interrupted_ = !supervisor.run_again(entries);
  return !interrupted_;
}

int Session::finish(int exit, const std::string& verdict) {
  const EndRecord end{.status = interrupted_ ? EndStatus::interrupted : EndStatus::complete,
                      .finished = utc_now(),
                      .exit = exit,
                      .verdict = verdict};
  add_record(run_, end);
  try {
    journal_->append(end);
    write_run_json(folder_, run_);
  } catch (const base::Refusal& refusal) {
    observer_.warn(base::say("the run is only in its journal: ", refusal.what()));
    return exit == 0 ? static_cast<int>(base::Exit::environment) : exit;
  }
  // The run is on disk: a history that cannot be written costs no result.
  try {
    // Canonical, because "runs/id/" and "." have another parent as text.
    History(std::filesystem::canonical(folder_).parent_path() / history_name).record(run_);
  } catch (const base::Refusal& refusal) {
    observer_.warn(base::say("the run is not in the history: ", refusal.what()));
  }
  return exit;
}

std::filesystem::path find_run(const std::string& name, const std::filesystem::path& out) {
  if (std::filesystem::exists(name)) return name;
  if (std::filesystem::exists(out / name)) return out / name;
  base::refuse(base::Exit::usage, "no run '", name, "' here or in ", out.string(),
               "; 'aisp history' lists the runs");
}

int exit_of_rows(const RunFile& run) {
  bool any_result = false, bad = false;
  for (const auto& row : latest_rows(run)) {
    any_result = any_result || row.status != RowStatus::skipped;
    bad = bad || is_bad(row.status);
  }
  if (bad) return static_cast<int>(base::Exit::wrong);
  return static_cast<int>(any_result ? base::Exit::good : base::Exit::environment);
}

}  // namespace aisp::lab
