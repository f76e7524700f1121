// What the simulator's hazard checker wrote about a run, as the lab reads it. The other side of the
// file is sim/watch/finding.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/hazard_rules.hpp"
#include "lab/check/schedule.hpp"

namespace aisp::lab {

// One of the accesses, or steps, that a hazard is made of.
struct HazardPlace {
  std::string what;
  bool on_device = true;
  std::array<int, 3> block{};
  int warp = -1, lane = -1;  // -1: all, or nobody in particular
  std::string address;
  int ptx_line = 0;
  std::string ptx;
  std::string file;  // empty: no line information
  int line = 0;
  std::vector<std::pair<std::string, int>> inlined;  // files and lines it was inlined at, outwards
};

struct Hazard {
  std::string rule, title;
  base::HazardLevel level = base::HazardLevel::error;
  std::string kernel, message, why, fix;
  std::uint64_t count = 1;
  std::vector<HazardPlace> places;
  std::vector<std::string> graph;
  std::uint64_t pairs = 1;          // of instructions that it shows at
  std::vector<std::string> also;    // some of those beside `places`: "a.cu:31 with a.cu:44"
  std::vector<std::string> causes;  // the checker's names for where it comes from
  // Instructions between which the missing barrier belongs.
  std::pair<std::uint32_t, std::uint32_t> between{0, UINT32_MAX};
  // Identities of the hazards that it is a consequence of; empty: it has a cause of its own.
  std::vector<std::string> follows;
  std::vector<Hazard> consequences;  // of a report: those that are shown with it

  Schedule seen;    // the first that showed it
  Schedule replay;  // the simplest known to show it
};

// Rule, kernel and the PTX lines, in any order.
std::string identity(const Hazard& hazard);

// Whether hazards of different processes or runs are one: of the same identity, or of the same rule
// and kernel with a cause in common. Which pair of accesses shows it is the schedule's choice.
bool same_hazard(const Hazard& a, const Hazard& b);

// Adds those that are new, and the counts of those that are not. What has a cause of its own in one
// of the runs is no consequence.
void merge(std::vector<Hazard>& all, const std::vector<Hazard>& more);

struct Watched {
  int files = 0;  // processes that the checker ran in
  std::vector<Hazard> hazards;
};

// All <pid>.jsonl in the folder. Refuses (Exit::environment) a line it cannot read, with its
// number.
Watched read_hazards(const std::filesystem::path& folder, const Schedule& schedule);

}  // namespace aisp::lab
