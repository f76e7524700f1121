// What `aisp demo` prints: words, rungs, what was measured, and what that shows.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "lab/record/run_file.hpp"

namespace aisp::app {

// One target of a chapter, and what a reader needs to know to look at its numbers.
struct Demonstration {
  std::string chapter;
  std::string target;              // "ch10:gpudirect_storage"
  std::string title;               // "Storage overlap"
  std::vector<std::string> words;  // paragraphs
  bool of_a_disk = false;          // rates matter, and the simulator does not count the disk
};

// Those of the program.
const std::vector<Demonstration>& all_demonstrations();

void print_demonstrations(const lab::RunFile& run, const std::vector<Demonstration>& demonstrations,
                          std::ostream& out);

}  // namespace aisp::app
