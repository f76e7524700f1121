// What `aisp doctor` looks at. Each finding says what was found and, where it is not good, how to
// mend it.
#pragma once

#include <string>
#include <vector>

#include "lab/cli/command_line.hpp"

namespace aisp::lab {

struct DoctorLine {
  enum class State { good, note, missing };  // note: works without, but something is lost
  State state = State::good;
  std::string what;    // "driver"
  std::string found;   // "580.65.06"
  std::string remedy;  // "" when there is nothing to mend
};

// A shared library that is loaded at first use: found under one of its names, or the remedy.
DoctorLine check_library(const std::string& what, const std::vector<std::string>& names,
                         const std::string& remedy);

// Who may read hardware counters, from the text of the driver's parameter file.
DoctorLine check_counters(const std::string& driver_parameters, bool root);

std::vector<DoctorLine> examine(const CommandLine& line);

}  // namespace aisp::lab
