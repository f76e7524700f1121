// A run from its first line to its last: opens or resumes the journal, lets the supervisor work,
// and closes it with the folded document and the history.
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lab/record/journal.hpp"
#include "lab/record/run_file.hpp"
#include "lab/run/plan/options.hpp"
#include "lab/run/process/supervisor.hpp"

namespace aisp::lab {

class Session {
 public:
  // Plans or reads back; what is known to go wrong is refused here, before a folder is made.
  Session(const RunOptions& options, const std::vector<std::string>& command,
          RunObserver& observer);

  // Opens the journal of a new run and works. False when it was interrupted.
  bool run();

  // The same entries once more; their newer rows count. False when it was interrupted.
  bool measure_again(const std::set<std::string>& entries);

  // Writes the end record, run.json and the history, and returns the exit code. What cannot be
  // written is said and costs a good ending (Exit::environment); it never costs the caller's table,
  // for the rows are in the journal. Of the history, trouble is only a warning.
  [[nodiscard]] int finish(int exit, const std::string& verdict);

  const RunFile& result() const { return run_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void start(const std::vector<std::string>& command);
  void resume();
  void estimate();  // to the observer, before long simulated runs

  RunOptions options_;
  RunObserver& observer_;
  Interrupt interrupt_;
  std::filesystem::path folder_;
  std::unique_ptr<Journal> journal_;
  RunFile run_;
  bool interrupted_ = false;
  Profile worker_profile_ = Profile::none;  // what no other tool takes
};

// Where a run given by id, folder or file is: as a path, else under `out`. Refuses with
// Exit::usage.
std::filesystem::path find_run(const std::string& name, const std::filesystem::path& out);

// Exit code that the rows alone call for: 3 for wrong, failed or refused ones, 4 when nothing could
// run, else 0.
int exit_of_rows(const RunFile& run);

}  // namespace aisp::lab
