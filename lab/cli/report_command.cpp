#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/refuse.hpp"
#include "lab/cli/commands.hpp"
#include "lab/cli/expectation_places.hpp"
#include "lab/record/file.hpp"
#include "lab/record/history.hpp"
#include "lab/record/journal.hpp"
#include "lab/report/ci/ci.hpp"
#include "lab/report/page/document.hpp"
#include "lab/report/page/page.hpp"
#include "lab/report/page/server.hpp"
#include "lab/run/plan/build_info.hpp"
#include "lab/run/plan/plan.hpp"
#include "lab/run/session.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

constexpr int most_history_rows = 100'000;
constexpr std::size_t most_runs = 64;  // of those that nobody named

fs::path folder_of(const fs::path& run) { return fs::is_directory(run) ? run : run.parent_path(); }

// What `aisp check --format json` writes, told from a run.json by what is in it.
std::optional<PageFindings> findings_in(const fs::path& path) {
  if (fs::is_directory(path) || path.extension() != ".json") return std::nullopt;
  nlohmann::json report = nlohmann::json::parse(read_whole(path), nullptr, false);
  if (!report.is_object() || !report.contains("findings") || report.contains("run"))
    return std::nullopt;
  return PageFindings{.title = path.filename().string(), .report = std::move(report)};
}

void add_named(PageInput& input, const CommandLine& line) {
  for (const auto& word : line.words) {
    const fs::path path = find_run(word, line.run.out);
    if (auto findings = findings_in(path))
      input.findings.push_back(std::move(*findings));
    else
      input.runs.push_back({read_run(path), folder_of(path)});
  }
}

// One machine's device, simulated or not.
std::string device_key(const RunFile& run) {
  const auto device = run.device.value_or(DeviceRecord{});
  return base::say(device.host, '\n', device.hardware, '\n', device.uuid);
}

// The newest word on every target and device: runs that say nothing new are left out.
void add_newest(PageInput& input, const CommandLine& line) {
  std::vector<std::string> ids;
  for (const auto& row : input.history)
    if (std::find(ids.begin(), ids.end(), row.run) == ids.end()) ids.push_back(row.run);
  std::set<std::string> said;
  for (const auto& id : ids) {
    if (input.runs.size() == most_runs) break;
    const fs::path folder = line.run.out / id;
    if (!fs::exists(folder)) continue;  // thrown away since
    RunFile run = read_run(folder);
    bool news = false;
    for (const auto& plan : run.header.plan) {
      if (!line.chapter.empty() && !plan.target.starts_with(line.chapter + ":")) continue;
      news |= said.insert(device_key(run) + '\n' + plan.target +
                          (run.header.sweep.empty() ? "" : "\nsweep"))
                  .second;
    }
    if (news) input.runs.push_back({std::move(run), folder});
  }
}

std::vector<HistoryRow> known_history(const fs::path& out, std::vector<std::string>& warnings) {
  if (!fs::exists(out / history_name)) return {};
  try {
    return History(out / history_name).rows(std::nullopt, most_history_rows);
  } catch (const base::Refusal& refusal) {
    warnings.push_back(base::say("without a history: ", refusal.what()));
    return {};
  }
}

std::string summary_of(const PageInput& input) {
  std::vector<const RunFile*> runs;
  std::vector<Finding> regressions;
  for (const auto& [run, folder] : input.runs) {
    runs.push_back(&run);
    for (const auto& finding : findings_of(input, run))
      if (finding.kind == Finding::regression) regressions.push_back(finding);
  }
  return markdown_summary(runs, regressions);
}

// Best effort: the path is printed either way.
bool open_in_browser(const std::string& what) {
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr ||
        std::freopen("/dev/null", "w", stderr) == nullptr)
      std::_Exit(1);
    execlp("xdg-open", "xdg-open", what.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

void show(const std::string& what) {
  if (!open_in_browser(what))
    std::fprintf(stderr, "aisp: xdg-open could not show %s; open it in a browser\n", what.c_str());
}

}  // namespace

int report_command(const CommandLine& line) {
  PageInput input{.generated = utc_now(),
                  .generator = base::say("aisp ", version, " (", commit, ")"),
                  .chapter = line.chapter};
  if (!line.chapter.empty()) input.title += " of " + line.chapter;
  input.history = known_history(line.run.out, input.warnings);
  if (line.words.empty())
    add_newest(input, line);
  else
    add_named(input, line);
  if (input.runs.empty() && input.findings.empty())
    base::refuse(base::Exit::usage, "nothing to report: no run",
                 line.chapter.empty() ? "" : " of " + line.chapter, " in ", line.run.out.string(),
                 "; 'aisp bench run' makes one, --runs DIR looks elsewhere");
  input.expectations = [](const std::string& chapter, const std::string& hardware) {
    try {
      return load_expectations(expectations_path(expectations_folder(chapter), hardware));
    } catch (const base::Refusal&) {  // no tree here, or a file of another version
      return std::optional<Expectations>();
    }
  };
  if (!line.summary.empty())
    replace_file(line.summary, summary_of(input), "choose another file with --markdown FILE");
  const std::string page = report_page(page_document(input));
  const fs::path file = line.page.empty() ? line.run.out / "report.html" : line.page;
  replace_file(file, page, "choose another file with --out FILE");
  for (const auto& warning : input.warnings) std::fprintf(stderr, "aisp: %s\n", warning.c_str());
  std::printf("%s\n", file.string().c_str());
  std::fflush(stdout);
  if (!line.serve) {
    if (line.open) show(fs::absolute(file).string());
    return 0;
  }
  const Interrupt interrupt;
  PageServer server(page);
  std::printf("%s until Ctrl-C\n", server.address().c_str());
  std::fflush(stdout);
  if (line.open) show(server.address());
  server.run(interrupt.readable());
  return 0;
}

}  // namespace aisp::lab
