// Targets and rungs announce themselves from their own files: adding one is adding files.
//
//   const lab::TargetEntry entry{{.chapter = "ch09", .name = "memory_bound", ...}};      case.cpp
//   const lab::RungEntry entry{"ch09:memory_bound", {.name = "one_pass", ...}};          rung .cu
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/case/library.hpp"
#include "lab/case/rung.hpp"
#include "lab/case/selection.hpp"

namespace aisp::lab {

struct TargetEntry {
  explicit TargetEntry(Target target);
};

struct RungEntry {
  RungEntry(std::string target_id, Rung rung);
};

// All targets by (chapter, name). Throws std::logic_error when the entries contradict each other:
// a rung for no target, two rungs on one step, a target without rungs, an alias used twice.
const std::vector<Target>& all_targets();

// Null for an id that nobody has.
const Target* find_target(const std::string& id);

// The ladder in order of step, then the peers by name.
const std::vector<Rung>& rungs_of(const Target& target);

// "ch09", "ch09:name", "name", an alias, "all", several with commas. Refuses an unknown name with
// Exit::usage and the nearest known one.
std::vector<Selection> select_targets(const std::string& text);

// What the files of a module have announced, on its way to the program that loads it
// (lab/module). The module's registry is empty after it was taken.
struct Announced {
  std::vector<Target> targets;
  std::vector<std::pair<std::string, Rung>> rungs;
  std::vector<Library> libraries;
};
Announced take_announced();
void announce(Announced announced);

// Whether a target or a plan of this chapter has announced itself.
bool has_chapter(const std::string& chapter);

// Throws std::logic_error, as all_targets() would, and leaves the registry open for more.
void check_announced();

}  // namespace aisp::lab
