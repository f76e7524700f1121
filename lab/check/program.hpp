// Starts a program with the hazard checker on, waits for it within a time, and reads what the
// checker wrote.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lab/check/explore.hpp"
#include "lab/check/input.hpp"
#include "lab/run/process/interrupt.hpp"

namespace aisp::lab {

// A folder in the system's place for such, gone at the end of its life.
class ScratchFolder {
 public:
  ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct WatchedProgram {
  std::vector<std::string> words;
  // False: it puts the simulator in front of itself, as aisp does.
  bool preload = true;
  std::vector<std::pair<std::string, std::string>> environment;
  double timeout = 600;  // seconds
};

struct WatchedRun {
  CheckRun run;
  int files = 0;       // of processes that the checker ran in
  std::string output;  // both streams, unless it went live to standard error
};

// Refuses (Exit::environment) when the program cannot be started.
WatchedRun run_watched(const WatchedProgram& program, const Schedule& schedule, bool live,
                       ProgramInput& input, const Interrupt& interrupt);

}  // namespace aisp::lab
