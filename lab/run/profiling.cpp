#include "lab/run/profiling.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/refuse.hpp"
#include "lab/device/simulator.hpp"
#include "lab/profile/ncu/bound.hpp"
#include "lab/profile/ncu/counters.hpp"
#include "lab/profile/ncu/raw_page.hpp"
#include "lab/profile/ncu/source_page.hpp"
#include "lab/profile/ncu/tool.hpp"
#include "lab/record/file.hpp"
#include "lab/trace/chrome.hpp"

namespace aisp::lab {
namespace {

namespace fs = std::filesystem;

class Profiler {
 public:
  Profiler(Journal& journal, RunFile& run, const fs::path& folder, const Interrupt& interrupt,
           RunObserver& observer, std::string tool)
      : journal_(journal),
        run_(run),
        folder_(folder),
        interrupt_(interrupt),
        observer_(observer),
        tool_(std::move(tool)) {
    std::error_code error;
    fs::create_directories(folder_ / "profiles", error);
    if (error)
      base::refuse(base::Exit::environment, "cannot make ", (folder_ / "profiles").string(), ": ",
                   error.message(), "; choose another folder with --out DIR");
    const std::string version = ncu::version_in(printed({"--version"}, "version"));
    by_ = version.empty() ? "ncu" : "ncu " + version;
  }

  // "": went well, or why no entry can be profiled here.
  std::string profile(const EntryPlan& entry, std::size_t index, std::vector<std::string> rungs) {
    observer_.phase(entry, index, run_.header.plan.size(), {"", "counters", 0});
    const std::string name =
        trace_file_name(entry.target, entry.entry.substr(entry.target.size()), "");
    const fs::path report = folder_ / "profiles" / name.substr(0, name.rfind('.'));
    const std::string problem = collect(entry, rungs, report);
    if (interrupt_.pending()) return "interrupted";
    const fs::path made = report.string() + ".ncu-rep";
    ncu::RawPage page;
    std::vector<ncu::SourcePage> sources;
    if (fs::exists(made)) {
      page = ncu::read_raw_page(printed(ncu::raw_words(made), "raw"));
      if (run_.header.profile == Profile::deep_dive)
        sources = ncu::read_source_pages(printed(ncu::source_words(made), "source"));
    }
    keep(entry, rungs, page, sources, problem, fs::exists(made) ? made : fs::path());
    return page.kernels.empty() ? problem : "";
  }

 private:
  // Runs ncu and returns what it printed. What it reads or runs decides how long that may take.
  std::string run(const std::vector<std::string>& words, const fs::path& log,
                  const Environment& environment = {}) {
    using Clock = std::chrono::steady_clock;
    std::error_code none;
    fs::remove(log, none);
    Child child(tool_, words, "", log, environment);
    const auto limit = std::chrono::duration<double>(run_.header.time_limit);
    const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
    std::vector<std::string> lines;
    auto got = Child::Read::lines;
    while (got == Child::Read::lines) got = child.read(lines, deadline, interrupt_.readable());
    if (got != Child::Read::end) child.kill();
    ending_ = child.wait();
    if (got == Child::Read::deadline)
      ending_ = base::say("time limit of ", run_.header.time_limit, " s reached");
    return fs::exists(log) ? read_whole(log) : "";
  }

  std::string printed(const std::vector<std::string>& words, const char* what) {
    const fs::path log = folder_ / "profiles" / (std::string(what) + ".txt");
    const std::string text = run(words, log);
    std::error_code none;
    fs::remove(log, none);
    return text;
  }

  std::string collect(const EntryPlan& entry, const std::vector<std::string>& rungs,
                      const fs::path& report) {
    const Job job{.entry = entry,
                  .rungs = rungs,
                  .timer = Timer::events,
                  .l2 = L2Mode::hot,
                  .profile = run_.header.profile,
                  .seed = run_.header.seed,
                  .modules = run_.header.modules,
                  .trace = {},
                  .counters = true};
    const fs::path file = folder_ / "profiles" / "job.json";
    replace_file(file, to_json(job).dump() + "\n", "choose another folder with --out DIR");
    std::vector<std::string> words = ncu::collect_words(run_.header.profile, report);
    std::error_code none;
    words.push_back(fs::read_symlink("/proc/self/exe", none).string());
    words.insert(words.end(), {"worker", "--job", fs::absolute(file).string()});
    const std::string output = run(words, folder_ / "profile.log", environment_of(entry));
    fs::remove(file, none);
    const std::string problem = ncu::problem_in(output);
    if (!problem.empty() || ending_.empty()) return problem;
    return base::say("ncu ended with ", ending_, "; its words are in ",
                     (folder_ / "profile.log").string());
  }

  void keep(const EntryPlan& entry, const std::vector<std::string>& rungs, const ncu::RawPage& page,
            const std::vector<ncu::SourcePage>& sources, const std::string& problem,
            const fs::path& report) {
    std::vector<Record> records;
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      ProfileRecord record{.entry = entry.entry,
                           .rung = rungs[i],
                           .attempt = attempt_of_row(entry, rungs[i]),
                           .kernels = {},
                           .by = by_};
      for (std::size_t k = 0; k < page.kernels.size(); ++k) {
        // Without ranges in the table all of it belongs to a rung that ran alone.
        if (page.kernels[k].range != static_cast<int>(i) && rungs.size() > 1) continue;
        record.kernels.push_back(ncu::kernel_record(page.kernels[k]));
        if (k < sources.size()) record.kernels.back().lines = sources[k].lines;
      }
      record.bound = ncu::bound_sentence(record.kernels);
      if (!report.empty()) record.file = fs::relative(report, folder_).string();
      record.problem = !problem.empty()         ? problem
                       : !page.problem.empty()  ? page.problem
                       : record.kernels.empty() ? "it launched no kernel in this process"
                                                : "";
      records.push_back(std::move(record));
    }
    journal_.append(records);
    for (const auto& record : records) add_record(run_, record);
  }

  int attempt_of_row(const EntryPlan& entry, const std::string& rung) const {
    int attempt = 1;
    for (const auto& row : run_.rows)
      if (row.entry == entry.entry && row.rung == rung) attempt = row.attempt;
    return attempt;
  }

  Journal& journal_;
  RunFile& run_;
  fs::path folder_;
  const Interrupt& interrupt_;
  RunObserver& observer_;
  std::string tool_, by_, ending_;
};

// Rungs of an entry that have a result and no profile.
std::vector<std::string> rungs_to_profile(const RunFile& run, const EntryPlan& entry) {
  std::vector<std::string> rungs;
  for (const auto& row : latest_rows(run)) {
    if (row.entry != entry.entry) continue;
    if (row.status != RowStatus::measured && row.status != RowStatus::checked) continue;
    bool profiled = false;
    for (const auto& profile : run.profiles)
      profiled = profiled || (profile.entry == entry.entry && profile.rung == row.rung);
    if (!profiled) rungs.push_back(row.rung);
  }
  return rungs;
}

}  // namespace

Profile profile_in_workers(const RunHeader& header, RunObserver& observer) {
  if (!wants_counters(header.profile) || on_simulator()) return header.profile;
  std::string tried;
  if (!ncu::find_tool(tried).empty()) return Profile::none;
  observer.warn(base::say("ncu not found (tried ", tried, "): --profile ", name_of(header.profile),
                          " gives what CUPTI does, kernels with their resources and times; install "
                          "Nsight Compute or set AISP_NCU"));
  return Profile::minimal;
}

bool profile_entries(Journal& journal, RunFile& run, const fs::path& folder,
                     const Interrupt& interrupt, RunObserver& observer) {
  if (!wants_counters(run.header.profile) || !run.device || run.device->simulated ||
      run.device->major == 0)
    return true;
  std::string tried;
  const std::string tool = ncu::find_tool(tried);
  if (tool.empty()) return true;  // said when the run began
  Profiler profiler(journal, run, folder, interrupt, observer, tool);
  for (std::size_t i = 0; i < run.header.plan.size(); ++i) {
    const EntryPlan& entry = run.header.plan[i];
    const auto rungs = rungs_to_profile(run, entry);
    if (rungs.empty()) continue;
    if (interrupt.pending()) return false;
    const std::string problem = profiler.profile(entry, i, rungs);
    if (interrupt.pending()) return false;
    if (problem.empty()) continue;
    observer.warn(base::say(entry.entry, ": no counters: ", problem));
    if (problem.starts_with("the driver permits")) return true;  // it will not for the next one
  }
  return true;
}

}  // namespace aisp::lab
