// Targets and rungs put together and checked: what the registry holds once every file has
// announced its own. Apart from the registry so that contradictions can be tested.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lab/case/case.hpp"
#include "lab/case/planned.hpp"
#include "lab/case/rung.hpp"
#include "lab/case/selection.hpp"

namespace aisp::lab {

// The machine's own ceilings are targets too, but not part of what "all" means.
inline constexpr const char* roof_chapter = "roof";

class Catalog {
 public:
  // Throws std::logic_error, naming target and rung, when the entries contradict each other.
  Catalog(std::vector<Target> targets, std::vector<std::pair<std::string, Rung>> rungs,
          std::vector<Planned> planned = {});
  // Names point into the targets; a move keeps those in place, a copy would not.
  Catalog(Catalog&&) = default;
  Catalog(const Catalog&) = delete;

  const std::vector<Target>& targets() const { return targets_; }
  const std::vector<Planned>& planned() const { return planned_; }
  const std::vector<Rung>& rungs_of(const Target& target) const;
  std::vector<Selection> select(const std::string& text) const;

 private:
  // A name the command line takes, without its chapter, and what it stands for.
  struct Name {
    std::string text;
    Selection means;  // no target where it is only planned
    bool alias = false;
    const Planned* planned = nullptr;

    const std::string& chapter() const {
      return planned != nullptr ? planned->chapter : means.target->chapter;
    }
    std::string full() const { return chapter() + ":" + text; }
    std::string owner() const { return planned != nullptr ? planned->id() : means.target->id(); }
  };

  void add_rungs(std::vector<std::pair<std::string, Rung>> rungs);
  void add_names();
  void check_names() const;
  bool has_chapter(const std::string& word) const;
  std::vector<Selection> find(const std::string& word) const;
  Selection find_name(const std::string& word) const;
  [[noreturn]] void refuse_name(const std::string& word) const;

  std::vector<Target> targets_;   // by (chapter, name)
  std::vector<Planned> planned_;  // likewise
  std::map<std::string, std::vector<Rung>> rungs_;
  std::vector<Name> names_;
  std::vector<std::string> chapters_;
};

}  // namespace aisp::lab
