// What `aisp inspect` was asked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/case/names.hpp"
#include "lab/device/simulator.hpp"

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

struct InspectOptions {
  std::string target, rung;  // no rung: all of the ladder
  std::string variant;       // "": the target's first that the rung takes
  std::vector<std::string> size;
  bool full = false;       // the first full size instead of the first quick one
  std::vector<What> what;  // empty: whatever there is
  std::filesystem::path out = "inspect";
  std::vector<std::string> load;
  lab::DeviceChoice device;

  bool wants(What one) const;
  // Asked for by name: what is not there is then said.
  bool asked_for(What one) const { return !what.empty() && wants(one); }
};

// Refuses (Exit::usage) what it does not know, with the nearest word.
InspectOptions read_inspect_options(const std::vector<std::string>& words);

}  // namespace aisp::app
