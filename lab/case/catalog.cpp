#include "lab/case/catalog.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/refuse.hpp"
#include "base/text.hpp"

namespace aisp::lab {
namespace {

template <class... Parts>
void demand(bool holds, const Parts&... parts) {
  if (!holds) throw std::logic_error(base::say(parts...));
}

bool contains(const std::vector<std::string>& list, const std::string& word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void check_word(const std::string& word, const std::string& id) {
  demand(!word.empty() && word.find_first_of(":,/ ") == std::string::npos, id, ": '", word,
         "' cannot be typed on the command line; names have no ':', ',', '/' and blanks");
  demand(word != "all", id, ": 'all' already means every target");
}

void check_sizes(const Target& target, const std::vector<Size>& sizes, const char* list) {
  for (const auto& size : sizes) {
    demand(contains(target.variants, size.variant), target.id(), ": ", list, " size '",
           size.label(), "' is of no variant of the target");
    demand(size.dims.size() == target.axes.size(), target.id(), ": ", list, " size '", size.label(),
           "' has ", size.dims.size(), " extents but there are ", target.axes.size(), " axes");
  }
  for (const auto& variant : target.variants)
    demand(std::any_of(sizes.begin(), sizes.end(),
                       [&](const Size& size) { return size.variant == variant; }),
           target.id(), ": no ", list, " size", variant.empty() ? "" : " of variant ", variant);
}

void check_target(const Target& target) {
  check_word(target.chapter, target.id());
  check_word(target.name, target.id());
  demand(target.problem != nullptr, target.id(), " has no problem function");
  check_sizes(target, target.full, "full");
  check_sizes(target, target.quick, "quick");
  for (const auto& [alias, variant] : target.aliases) {
    check_word(alias, target.id());
    demand(variant.empty() || contains(target.variants, variant), target.id(), ": alias '", alias,
           "' picks the unknown variant '", variant, "'");
  }
}

void check_planned(const Planned& planned) {
  check_word(planned.chapter, planned.id());
  check_word(planned.name, planned.id());
  for (const auto& alias : planned.aliases) check_word(alias, planned.id());
  demand(!planned.waits.empty(), planned.id(), " is planned and does not say what it waits for");
}

// Chapters first, as the pages list them.
template <class Named>
void sort_by_name(std::vector<Named>& list) {
  std::sort(list.begin(), list.end(), [](const Named& a, const Named& b) {
    return std::tie(a.chapter, a.name) < std::tie(b.chapter, b.name);
  });
}

void check_ladder(const Target& target, const std::vector<Rung>& rungs) {
  std::set<std::string> names;
  std::map<int, std::string> steps;
  for (const auto& rung : rungs) {
    const std::string id = target.id() + "/" + rung.name;
    demand(!rung.name.empty(), target.id(), " has a rung without a name");
    demand(names.insert(rung.name).second, id, " is there twice");
    demand(rung.prepare != nullptr, id, " has no prepare function");
    for (const auto& variant : rung.variants)
      demand(contains(target.variants, variant), id, " runs the unknown variant '", variant, "'");
    if (rung.peer) continue;
    demand(!rung.rounds_between, id, " rounds between its kernels, which only a peer may");
    demand(rung.step >= 0, id, " is on step ", rung.step, "; the ladder starts at 0");
    const auto [place, fresh] = steps.emplace(rung.step, rung.name);
    demand(fresh, id, " is on step ", rung.step, ", where '", place->second, "' is");
  }
  demand(steps.count(0) == 1, target.id(), " has no baseline: no rung of its own on step 0");
  for (const auto& rung : rungs)
    demand(rung.builds_on.empty() || names.count(rung.builds_on) == 1, target.id(), "/", rung.name,
           " builds on '", rung.builds_on, "', which is no rung of the target");
}

}  // namespace

Catalog::Catalog(std::vector<Target> targets, std::vector<std::pair<std::string, Rung>> rungs,
                 std::vector<Planned> planned)
    : targets_(std::move(targets)), planned_(std::move(planned)) {
  sort_by_name(targets_);
  sort_by_name(planned_);
  for (auto& target : targets_) {
    if (target.variants.empty()) target.variants = {""};
    if (!has_chapter(target.chapter)) chapters_.push_back(target.chapter);
    check_target(target);
  }
  for (const auto& later : planned_) {
    if (!has_chapter(later.chapter)) chapters_.push_back(later.chapter);
    check_planned(later);
  }
  add_names();
  check_names();
  add_rungs(std::move(rungs));
}

void Catalog::add_names() {
  for (const auto& target : targets_) {
    names_.push_back({target.name, {&target, ""}, false});
    for (const auto& [alias, variant] : target.aliases)
      names_.push_back({alias, {&target, variant}, true});
  }
  for (const auto& later : planned_) {
    names_.push_back({later.name, {nullptr, ""}, false, &later});
    for (const auto& alias : later.aliases) names_.push_back({alias, {nullptr, ""}, true, &later});
  }
}

void Catalog::check_names() const {
  std::map<std::string, const Name*> seen;
  for (const auto& name : names_) {
    demand(!has_chapter(name.text), name.full(), " is named like a chapter");
    const auto [place, fresh] = seen.emplace(name.text, &name);
    const Name& other = *place->second;
    if (fresh || (!name.alias && !other.alias && name.full() != other.full())) continue;
    // Targets come before what is planned, so of the two only the later one can be a plan.
    demand(name.planned == nullptr || other.planned != nullptr, "'", name.text, "' is a name of ",
           other.owner(), ", which is built, and of ", name.owner(),
           ", which is planned: take its entry out of planned.cpp");
    demand(name.alias || other.alias, name.full(), " is there twice");
    demand(false, "'", name.text, "' is a name of ", other.owner(), " and of ", name.owner());
  }
}

void Catalog::add_rungs(std::vector<std::pair<std::string, Rung>> rungs) {
  for (const auto& target : targets_) rungs_[target.id()];
  for (auto& [id, rung] : rungs) {
    const auto place = rungs_.find(id);
    demand(place != rungs_.end(), "rung '", rung.name, "' is for '", id, "', which is no target");
    place->second.push_back(std::move(rung));
  }
  for (const auto& target : targets_) {
    auto& ladder = rungs_[target.id()];
    demand(!ladder.empty(), target.id(), " has no rungs");
    std::sort(ladder.begin(), ladder.end(), [](const Rung& a, const Rung& b) {
      const int a_step = a.peer ? 0 : a.step, b_step = b.peer ? 0 : b.step;
      return std::tie(a.peer, a_step, a.name) < std::tie(b.peer, b_step, b.name);
    });
    check_ladder(target, ladder);
  }
}

const std::vector<Rung>& Catalog::rungs_of(const Target& target) const {
  const auto place = rungs_.find(target.id());
  demand(place != rungs_.end(), target.id(), " is not registered");
  return place->second;
}

bool Catalog::has_chapter(const std::string& word) const { return contains(chapters_, word); }

}  // namespace aisp::lab
