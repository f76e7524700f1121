// Targets that have a place in a chapter and no code yet: they are listed with what they wait for,
// and asking for one says so instead of calling the name unknown.
//
//   const lab::PlannedEntry entry{{.chapter = "ch10", .name = "matmul_tcgen05", ...}};  planned.cpp
#pragma once

#include <string>
#include <vector>

namespace aisp::lab {

struct Planned {
  std::string chapter, name;
  std::string idea{};                  // one line: what the ladder will show
  std::vector<std::string> aliases{};  // other names the command line will take
  std::string waits{};                 // "needs sm_100a", "waits for the run-time compiler"
  bool left_out = false;               // its code is in the tree, and AISP_ONLY left it out

  std::string id() const { return chapter + ":" + name; }
  std::string status() const { return waits + (left_out ? "" : ", not built yet"); }
};

// A target that is built under one of these names contradicts the entry, and all_targets() throws
// std::logic_error: an entry does not outlive what it waits for.
struct PlannedEntry {
  explicit PlannedEntry(Planned planned);
};

// By (chapter, name).
const std::vector<Planned>& planned_targets();

}  // namespace aisp::lab
