// Starts a program with somebody looking on in the simulator, the hazard checker most often, waits
// for it within a time, and reads what the checker wrote.
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

struct ProgramRun {
  CheckRun run;        // without hazards
  std::string output;  // both streams, unless it went live to standard error
};

// `variable` tells the simulator the folder that the one who looks on writes into. Refuses
// (Exit::environment) when the program cannot be started.
ProgramRun run_program(const WatchedProgram& program, const Schedule& schedule,
                       const char* variable, const std::filesystem::path& folder, bool live,
                       ProgramInput& input, const Interrupt& interrupt);

// What a program said last, without the name of this program in front of it; "": nothing.
std::string last_words(const std::string& output);

struct WatchedRun {
  CheckRun run;
  int files = 0;       // of processes that the checker ran in
  std::string output;  // both streams, unless it went live to standard error
};

// The same with the hazard checker.
WatchedRun run_watched(const WatchedProgram& program, const Schedule& schedule, bool live,
                       ProgramInput& input, const Interrupt& interrupt);

}  // namespace aisp::lab
