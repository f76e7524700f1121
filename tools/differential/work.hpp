// The list of everything that is run on both devices: instruction tests and chapter kernels. Both
// processes build the same list, so an item is known by its number.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tests/sim/support/experiment.hpp"

namespace aisp::differential {

struct Item {
  std::string group;  // "forms/add.forms", "ptx/mma", "ch09:memory_bound"
  std::string name;
  // Runs it with this process' CUDA runtime and returns the bytes it put out. Throws where it
  // cannot; a lost device shows in cudaGetLastError.
  std::function<std::vector<std::byte>()> run;
  // Complaints about two outputs; empty when they agree.
  std::function<std::vector<std::string>(const std::vector<std::byte>& gpu,
                                         const std::vector<std::byte>& simulated)>
      compare;
  int architecture = 80;  // least
  std::string inexact{};  // why its outputs are compared within a tolerance; "": bit by bit
};

std::vector<Item> instruction_items(const std::string& folder);  // tests/sim/instructions
std::vector<Item> chapter_items(const std::string& targets);     // "ch09,ch10", "all"

}  // namespace aisp::differential
