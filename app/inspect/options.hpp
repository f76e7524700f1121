// What `aisp inspect` was asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/case/names.hpp"
#include "lab/run/plan/rung_choice.hpp"

namespace aisp::app {

// What there may be to look at, in the order in which it comes about.
enum class What { ir, passes, source, ptx, sass, resources, graph, memory, log };
constexpr auto names_of(What) {
  return std::to_array<lab::Name<What>>({{What::ir, "ir"},
                                         {What::passes, "passes"},
                                         {What::source, "source"},
                                         {What::ptx, "ptx"},
                                         {What::sass, "sass"},
                                         {What::resources, "resources"},
                                         {What::graph, "graph"},
                                         {What::memory, "memory"},
                                         {What::log, "log"}});
}

struct InspectOptions : lab::RungChoice {
  std::vector<What> what;  // empty: whatever there is
  std::filesystem::path out = "inspect";

  bool wants(What one) const;
  // Asked for by name: what is not there is then said.
  bool asked_for(What one) const { return !what.empty() && wants(one); }
};

// Refuses (Exit::usage) what it does not know, with the nearest word.
InspectOptions read_inspect_options(const std::vector<std::string>& given);

}  // namespace aisp::app
