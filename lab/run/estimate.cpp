#include "lab/run/estimate.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <utility>

#include "base/home.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/case/registry.hpp"
#include "lab/record/journal.hpp"
#include "lab/record/run_file.hpp"
#include "lab/run/plan/plan.hpp"
#include "lab/run/process/supervisor.hpp"

namespace aisp::lab {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double much_more_work = 300;  // than the largest small size
constexpr int probe_samples = 2;        // the first one also counts what the rung does
constexpr int simulated_samples = 5;    // of a run without --iterations
constexpr int checked_runs = 2;         // before timing and after it

struct Work {
  double amount = 0;
  bool bytes = false;
};

Work work_of(const Target& target, const Size& size) {
  const Problem problem = target.problem(size);
  if (problem.flops > 0) return {problem.flops, false};
  return {problem.bytes, true};
}

Work work_of(const EntryPlan& entry) {
  return work_of(*find_target(entry.target), {entry.variant, entry.dims});
}

Size largest_quick_size(const Target& target, const std::string& variant) {
  Size largest;
  double most = -1;
  for (const auto& size : target.quick) {
    if (size.variant != variant) continue;
    const double work = work_of(target, size).amount;
    if (work > most) largest = size;
    most = std::max(most, work);
  }
  return largest;
}

// One entry for each target and variant of the plan, with all rungs that are planned for it.
std::vector<EntryPlan> small_plan(const std::vector<EntryPlan>& planned) {
  std::vector<EntryPlan> small;
  for (const auto& entry : planned) {
    if (!needs_cuda(entry)) continue;
    auto place = std::find_if(small.begin(), small.end(), [&](const EntryPlan& one) {
      return one.target == entry.target && one.variant == entry.variant;
    });
    if (place == small.end()) {
      const Size size = largest_quick_size(*find_target(entry.target), entry.variant);
      small.push_back({.entry = entry.target + "/" + size.label(),
                       .target = entry.target,
                       .variant = size.variant,
                       .dims = size.dims,
                       .rungs = {}});
      place = small.end() - 1;
    }
    for (const auto& rung : entry.rungs)
      if (std::find(place->rungs.begin(), place->rungs.end(), rung) == place->rungs.end())
        place->rungs.push_back(rung);
  }
  return small;
}

// Seconds between a phase that a worker announces and the next one.
class PhaseClock : public RunObserver {
 public:
  explicit PhaseClock(RunObserver* observer) : observer_(observer) {}
  void phase(const EntryPlan& entry, std::size_t index, std::size_t entries,
             const Phase& phase) override {
    if (observer_ != nullptr)
      observer_->phase(entry, index, entries, {phase.rung, phase.what + " for the estimate", 0});
    const auto now = Clock::now();
    if (!key_.first.empty()) {
      const double seconds = std::chrono::duration<double>(now - since_).count();
      const auto [place, fresh] = shortest_.emplace(key_, seconds);
      if (!fresh) place->second = std::min(place->second, seconds);
    }
    key_ = {entry.entry, phase.rung + " " + phase.what};
    since_ = now;
  }
  void row(const RowRecord&) override {}
  void warn(const std::string&) override {}
  void waiting() override {
    if (observer_ != nullptr) observer_->waiting();
  }

  // The shortest one of an entry; 0 for a phase that was never reached.
  double seconds(const std::string& entry, const std::string& rung, const std::string& what) const {
    const auto place = shortest_.find({entry, rung + " " + what});
    return place == shortest_.end() ? 0 : place->second;
  }

 private:
  RunObserver* observer_;
  std::pair<std::string, std::string> key_;
  Clock::time_point since_{};
  std::map<std::pair<std::string, std::string>, double> shortest_;
};

struct TemporaryRun {
  TemporaryRun() {
    std::string pattern = std::filesystem::temp_directory_path() / "aisp-estimate-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr)
      base::refuse(base::Exit::environment, "cannot make a folder ", pattern,
                   "; TMPDIR chooses another place");
    folder = pattern;
  }
  TemporaryRun(const TemporaryRun&) = delete;
  TemporaryRun& operator=(const TemporaryRun&) = delete;
  ~TemporaryRun() {
    std::error_code none;
    std::filesystem::remove_all(folder, none);
  }
  std::filesystem::path folder;
};

// False when a signal has come.
bool time_small_sizes(const RunHeader& planned, const std::vector<EntryPlan>& small,
                      const Interrupt& interrupt, PhaseClock& clock) {
  RunFile run;
  run.header = planned;
  run.header.plan = small;
  run.header.iterations = probe_samples;
  run.header.warmup = 0;
  run.header.time_limit = 60;
  run.header.validate = run.header.trace = false;
  run.header.profile = Profile::none;
  run.header.sweep.clear();
  const TemporaryRun place;
  Journal journal(place.folder / "run", Journal::Open::fresh);
  journal.append(run.header);
  return Supervisor(journal, run, place.folder / "run", interrupt, clock, Profile::none).run_all();
}

std::string amount_of(double work, bool bytes) {
  return base::with_prefix(work, bytes ? "B" : "FLOP");
}

}  // namespace

RunsPerRung runs_of_bench(const RunHeader& header) {
  if (header.validate) return {.runs = 1, .references = 1};
  const int samples = header.iterations > 0 ? header.iterations : simulated_samples;
  return {.runs = static_cast<double>(checked_runs + samples + header.warmup + header.trace),
          .references = checked_runs};
}

std::vector<EntryEstimate> estimate_run(const RunHeader& planned, const RunsPerRung& each,
                                        const Interrupt& interrupt, RunObserver* observer) {
  const auto small = small_plan(planned.plan);
  PhaseClock clock(observer);
  if (small.empty() || !time_small_sizes(planned, small, interrupt, clock)) return {};
  std::vector<EntryEstimate> found;
  for (const auto& entry : planned.plan) {
    const auto probe = std::find_if(small.begin(), small.end(), [&](const EntryPlan& one) {
      return one.target == entry.target && one.variant == entry.variant;
    });
    if (probe == small.end()) continue;
    const Work work = work_of(entry);
    const Work probed = work_of(*probe);
    const double larger = probed.amount > 0 ? work.amount / probed.amount : 1;
    EntryEstimate one{
        .entry = entry.entry, .target = entry.target, .work = work.amount, .bytes = work.bytes};
    for (const auto& rung : entry.rungs) {
      const double run = clock.seconds(probe->entry, rung, "timing");
      one.rungs += run > 0;
      one.run_seconds += larger * run;
    }
    if (one.rungs > 0) {
      one.reference_seconds = larger * clock.seconds(probe->entry, "", "reference before");
      one.seconds = each.runs * one.run_seconds + each.references * one.reference_seconds;
    }
    found.push_back(one);
  }
  return found;
}

std::string rough_duration(double seconds) {
  constexpr std::array<std::pair<double, const char*>, 4> units{
      {{86400, " days"}, {3600, " h"}, {60, " min"}, {1, " s"}}};
  for (const auto& [length, name] : units) {
    if (seconds < 1.5 * length) continue;
    char text[32];
    const double count = seconds / length;
    std::snprintf(text, sizeof text, count < 9.5 ? "%.1f" : "%.0f", count);
    return text + std::string(name);
  }
  return "1 s";
}

std::vector<std::string> estimate_lines(const std::vector<EntryEstimate>& entries,
                                        const RunsPerRung& each, const RunHeader& planned) {
  std::vector<std::string> lines;
  const double limit = planned.time_limit;
  double total = 0;
  std::vector<const EntryEstimate*> too_long;
  for (auto first = entries.begin(); first != entries.end();) {
    const auto last = std::find_if(first, entries.end(), [&](const EntryEstimate& one) {
      return one.target != first->target;
    });
    double seconds = 0, work = 0;
    for (auto one = first; one != last; ++one) {
      seconds += one->seconds;
      work += one->work * one->rungs * each.runs;
      total += std::min(one->seconds, limit);
      if (one->seconds > limit) too_long.push_back(&*one);
    }
    const auto sizes = last - first;
    if (seconds > 0)
      lines.push_back(base::say("estimate for ", first->target, ": about ", rough_duration(seconds),
                                " for ", sizes, sizes == 1 ? " size; " : " sizes; ",
                                amount_of(work, first->bytes), " in all runs of its rungs, at ",
                                amount_of(work / seconds, first->bytes), "/s"));
    first = last;
  }
  if (!too_long.empty())
    lines.push_back(base::say(
        too_long.size(), too_long.size() == 1 ? " size takes" : " sizes take", " longer than ",
        has_time_limit_option(planned) ? "--time-limit " : "the limit of ", limit,
        " s and will be stopped, such as ", too_long.front()->entry, " with about ",
        rough_duration(too_long.front()->seconds),
        has_time_limit_option(planned) ? "" : "; aisp bench run has --time-limit S"));
  if (total > 0)
    lines.push_back(base::say("estimate: about ", rough_duration(total), " in all",
                              too_long.empty() ? "" : " with the sizes that will be stopped", "; ",
                              accuracy_of_estimate));
  return lines;
}

const char* const accuracy_of_estimate =
    "each rung was timed at a small size on this machine and scaled by FLOP or bytes, so it may be "
    "off by a factor of 3; Ctrl-C stops, --quick takes the small sizes";

std::vector<double> expected_seconds(const std::vector<EntryEstimate>& entries,
                                     const RunHeader& planned) {
  std::vector<double> seconds;
  for (const auto& entry : planned.plan) {
    const auto found = std::find_if(entries.begin(), entries.end(), [&](const EntryEstimate& one) {
      return one.entry == entry.entry;
    });
    seconds.push_back(found == entries.end() ? 0 : std::min(found->seconds, planned.time_limit));
  }
  return seconds;
}

std::vector<std::string> estimate_of_rungs(const RunHeader& planned) {
  const RunsPerRung once;
  const Interrupt interrupt;
  RunHeader unlimited = planned;
  unlimited.time_limit = std::numeric_limits<double>::infinity();
  return estimate_lines(estimate_run(planned, once, interrupt), once, unlimited);
}

double work_of_entry(const EntryPlan& entry) { return work_of(entry).amount; }

bool needs_estimate(const RunHeader& planned, bool full) {
  // comm/world.hpp: the processes that a launcher has started serve the ranks of one run.
  if (base::environment("AISP_WORLD_SIZE") != nullptr) return false;
  return std::any_of(planned.plan.begin(), planned.plan.end(), [&](const EntryPlan& entry) {
    if (!needs_cuda(entry)) return false;
    if (full) return true;
    const Target& target = *find_target(entry.target);
    const double small = work_of(target, largest_quick_size(target, entry.variant)).amount;
    return small > 0 && work_of(entry).amount > much_more_work * small;
  });
}

}  // namespace aisp::lab
