#include "lab/case/library.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

namespace aisp::lab {
namespace {

struct Known {
  Library library;
  std::optional<LibraryState> state;
};

// Entries come from static initialisers in any order of files, so the list is made on first use.
std::map<std::string, Known>& known() {
  static std::map<std::string, Known> instance;
  return instance;
}

}  // namespace

LibraryEntry::LibraryEntry(Library library) {
  const std::string name = library.name;
  if (!known().emplace(name, Known{std::move(library), std::nullopt}).second)
    throw std::logic_error("the library " + name + " announces itself twice");
}

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const auto& [name, entry] : known()) names.push_back(name);
  return names;
}

std::vector<Library> take_libraries() {
  std::vector<Library> taken;
  for (auto& [name, entry] : std::exchange(known(), {})) taken.push_back(std::move(entry.library));
  return taken;
}

const LibraryState& library_state(const std::string& name) {
  const auto place = known().find(name);
  if (place == known().end()) throw std::logic_error("no library announces itself as " + name);
  auto& state = place->second.state;
  if (!state) state = place->second.library.look();
  return *state;
}

}  // namespace aisp::lab
