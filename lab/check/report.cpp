#include "lab/check/report.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("_./:=,+@%-", c) != nullptr;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string counted(std::uint64_t number, const std::string& what) {
  return base::say(number, " ", what, number == 1 ? "" : "s");
}

// Moves consequences below their roots. One whose root is not among these, because it is
// suppressed, or is less than the consequence, stays where it is.
void fold(std::vector<Hazard>& hazards) {
  std::vector<Hazard> roots, folded;
  for (Hazard& hazard : hazards)
    (hazard.follows.empty() ? roots : folded).push_back(std::move(hazard));
  const std::size_t own = roots.size();
  for (Hazard& hazard : folded) {
    const auto end = roots.begin() + static_cast<std::ptrdiff_t>(own);
    const auto root = std::find_if(roots.begin(), end, [&](const Hazard& one) {
      return one.level <= hazard.level && std::find(hazard.follows.begin(), hazard.follows.end(),
                                                    identity(one)) != hazard.follows.end();
    });
    if (root != end)
      root->consequences.push_back(std::move(hazard));
    else
      roots.push_back(std::move(hazard));
  }
  hazards = std::move(roots);
}

}  // namespace

std::size_t CheckReport::consequences() const {
  std::size_t count = 0;
  for (const Hazard& hazard : hazards) count += hazard.consequences.size();
  return count;
}

int CheckReport::of_level(base::HazardLevel level) const {
  return static_cast<int>(std::count_if(
      hazards.begin(), hazards.end(), [&](const Hazard& hazard) { return hazard.level == level; }));
}

CheckReport make_report(const CheckOptions& options, Exploration exploration,
                        const std::vector<Suppression>& suppressions,
                        const std::filesystem::path& folder) {
  CheckReport report{.options = options,
                     .runs = std::move(exploration.runs),
                     .tried = exploration.tried,
                     .interrupted = exploration.interrupted,
                     .folder = folder};
  std::vector<bool> used(suppressions.size(), false);
  for (auto& hazard : exploration.hazards) {
    const Suppression* by = covering(suppressions, hazard);
    if (by == nullptr) {
      report.hazards.push_back(std::move(hazard));
    } else {
      used[static_cast<std::size_t>(by - suppressions.data())] = true;
      report.suppressed.push_back({std::move(hazard), by->reason});
    }
  }
  fold(report.hazards);
  std::stable_sort(report.hazards.begin(), report.hazards.end(),
                   [](const Hazard& a, const Hazard& b) { return a.level < b.level; });
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i])
      report.unused.push_back(base::say(options.suppressions.string(), ":", suppressions[i].line,
                                        ": ", suppressions[i].text()));
  return report;
}

int exit_of(const CheckReport& report) {
  if (report.interrupted) return static_cast<int>(base::Exit::interrupted);
  const bool failed = std::any_of(report.runs.begin(), report.runs.end(),
                                  [](const CheckRun& run) { return run.failed(); });
  const bool good = report.errors() == 0 && !failed;
  return static_cast<int>(good ? base::Exit::good : base::Exit::wrong);
}

std::string replay_command(const CheckOptions& options, const Schedule& schedule) {
  std::string command = "aisp check " + as_options(schedule);
  if (options.uninitialised) command += " --uninitialised";
  if (options.full) command += " --full";
  if (options.advice) command += " --advice";
  if (options.strict) command += " --strict";
  if (!options.suppressions.empty())
    command += " --suppressions " + shell_word(options.suppressions.string());
  for (const auto& module : options.load) command += " --load " + shell_word(module);
  if (!options.targets.empty()) return command + " --targets " + shell_word(options.targets);
  command += " --";
  for (const auto& word : options.program) command += " " + shell_word(word);
  return command;
}

std::string end_of(const CheckRun& run, double timeout) {
  if (run.timed_out) return base::say("no end within ", timeout, " s");
  if (run.signal != 0)
    return base::say("SIG", sigabbrev_np(run.signal), " (", sigdescr_np(run.signal), ")");
  return base::say("exit code ", run.exit);
}

std::string shown_path(const std::filesystem::path& path, const std::filesystem::path& folder) {
  const auto normal = path.lexically_normal();
  if (!normal.is_absolute() || folder.empty()) return normal.string();
  const auto relative = normal.lexically_relative(folder);
  const bool below = !relative.empty() && *relative.begin() != "..";
  return below ? relative.string() : normal.string();
}

std::string summary_line(const CheckReport& report) {
  const auto number = [](int count) { return static_cast<std::uint64_t>(count); };
  std::string line = report.interrupted ? "interrupted; " : "";
  line += report.errors() == 0 ? "nothing found" : counted(number(report.errors()), "finding");
  if (report.consequences() > 0) line += " with " + counted(report.consequences(), "consequence");
  const int formal = report.of_level(base::HazardLevel::formal),
            advice = report.of_level(base::HazardLevel::advice);
  if (formal > 0) line += base::say(", ", formal, " formal");
  if (advice > 0) line += base::say(", ", advice, " of advice");
  if (!report.suppressed.empty()) line += base::say(", ", report.suppressed.size(), " suppressed");
  const auto failed = std::count_if(report.runs.begin(), report.runs.end(),
                                    [](const CheckRun& run) { return run.failed(); });
  line += " in " + counted(report.runs.size(), "run");
  if (failed > 0) line += base::say(", ", failed, " of which ended badly");
  if (report.tried > 0)
    line += "; " + counted(number(report.tried), "more run") + " to find a simpler schedule";
  return line;
}

}  // namespace aisp::lab
