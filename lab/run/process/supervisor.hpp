// The parent's side of a run: plans nothing and measures nothing; starts one worker per entry,
// records what comes, and turns a worker's death into a row with its reason.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "lab/record/journal.hpp"
#include "lab/record/records.hpp"
#include "lab/record/run_file.hpp"
#include "lab/run/process/child.hpp"
#include "lab/run/process/intake.hpp"
#include "lab/run/process/interrupt.hpp"
#include "lab/run/process/job.hpp"

namespace aisp::lab {

// Who wants to know how the run is getting on.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void phase(const EntryPlan& entry, std::size_t index, std::size_t entries,
                     const Phase& phase) = 0;
  virtual void row(const RowRecord& row) = 0;
  virtual void warn(const std::string& line) = 0;
  // Before the first phase, where the time was estimated: seconds for each entry of the plan, 0
  // where nothing is known.
  virtual void expects(const std::vector<double>& /*seconds*/) {}
  // Called about once a second while a worker is silent.
  virtual void waiting() {}
};

class Supervisor {
 public:
  Supervisor(Journal& journal, RunFile& run, const std::filesystem::path& folder,
             const Interrupt& interrupt, RunObserver& observer, Profile profile)
      : journal_(journal),
        run_(run),
        folder_(folder),
        interrupt_(interrupt),
        observer_(observer),
        profile_(profile) {}

  // Runs the entries that are not complete yet. False when it was interrupted.
  bool run_all();
  // Runs these, complete or not. Likewise.
  bool run_again(const std::set<std::string>& entries);

 private:
  enum class Ending { done, interrupted };

  Ending run_one(const EntryPlan& entry, std::size_t index);
  Job make_job(const EntryPlan& entry, int attempt) const;
  // How the work of one worker ended.
  struct Followed {
    std::string failure{};  // "" when it ended well
    // What a line that it may not send costs a result, with a row or without; "": no rung.
    std::string ended_rung{};
    bool interrupted = false;
  };
  // Feeds the worker's lines into the journal until it ends.
  Followed follow(Child& child, const Job& job, std::size_t index, Intake& intake);
  void take(const std::vector<std::string>& lines, const EntryPlan& entry, std::size_t index,
            Intake& intake);
  void fail(const Job& job, const std::vector<std::string>& rungs, const std::string& reason);
  void keep(const std::vector<Record>& records);

  Journal& journal_;
  RunFile& run_;
  std::filesystem::path folder_;
  const Interrupt& interrupt_;
  RunObserver& observer_;
  Profile profile_;  // that workers take themselves
};

}  // namespace aisp::lab
