#include "lab/case/registry.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "lab/case/catalog.hpp"
#include "lab/case/planned.hpp"

namespace aisp::lab {
namespace {

struct Entries {
  std::vector<Target> targets;
  std::vector<std::pair<std::string, Rung>> rungs;
  std::vector<Planned> planned;
  bool closed = false;
};

// Entries come from static initialisers in any order of files, so the list is made on first use.
Entries& entries() {
  static Entries instance;
  return instance;
}

void check_open(const std::string& id) {
  if (entries().closed)
    throw std::logic_error(id + " announces itself after the targets were first asked for");
}

const Catalog& catalog() {
  static const Catalog instance = [] {
    Catalog checked(entries().targets, entries().rungs, entries().planned);
    entries().closed = true;
    return checked;
  }();
  return instance;
}

template <class Named>
bool any_of_chapter(const std::vector<Named>& list, const std::string& chapter) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Named& named) { return named.chapter == chapter; });
}

}  // namespace

TargetEntry::TargetEntry(Target target) {
  check_open(target.id());
  entries().targets.push_back(std::move(target));
}

RungEntry::RungEntry(std::string target_id, Rung rung) {
  check_open(target_id + "/" + rung.name);
  entries().rungs.emplace_back(std::move(target_id), std::move(rung));
}

PlannedEntry::PlannedEntry(Planned planned) {
  check_open(planned.id());
  entries().planned.push_back(std::move(planned));
}

const std::vector<Target>& all_targets() { return catalog().targets(); }

const Target* find_target(const std::string& id) {
  for (const auto& target : all_targets())
    if (target.id() == id) return &target;
  return nullptr;
}

const std::vector<Rung>& rungs_of(const Target& target) { return catalog().rungs_of(target); }

const std::vector<Planned>& planned_targets() { return catalog().planned(); }

std::vector<Selection> select_targets(const std::string& text) { return catalog().select(text); }

Announced take_announced() {
  return {.targets = std::exchange(entries().targets, {}),
          .rungs = std::exchange(entries().rungs, {}),
          .libraries = take_libraries()};
}

void announce(Announced announced) {
  for (auto& target : announced.targets) TargetEntry{std::move(target)};
  for (auto& [id, rung] : announced.rungs) RungEntry{id, std::move(rung)};
  // A peer of a module may run on a library that the program's own peers know too.
  const auto known = library_names();
  for (auto& library : announced.libraries)
    if (std::find(known.begin(), known.end(), library.name) == known.end())
      LibraryEntry{std::move(library)};
}

bool has_chapter(const std::string& chapter) {
  return any_of_chapter(entries().targets, chapter) || any_of_chapter(entries().planned, chapter);
}

void check_announced() { Catalog(entries().targets, entries().rungs, entries().planned); }

}  // namespace aisp::lab
