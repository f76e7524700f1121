// What `aisp check` was asked to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lab/device/simulator.hpp"

namespace aisp::lab {

enum class CheckFormat { text, json, sarif };
constexpr auto names_of(CheckFormat) {
  return std::to_array<Name<CheckFormat>>(
      {{CheckFormat::text, "text"}, {CheckFormat::json, "json"}, {CheckFormat::sarif, "sarif"}});
}

struct CheckOptions {
  std::vector<std::string> program;  // and its arguments
  std::string targets;               // instead of a program
  bool quick = false, full = false;  // their sizes; neither: quick
  std::vector<std::string> load;     // modules that bring some of them
  std::string device;
  std::optional<ScheduleOrder> order;
  std::optional<std::uint64_t> seed;
  int explore = 0;
  bool keep_going = false;
  CheckFormat format = CheckFormat::text;
  std::filesystem::path out, suppressions;
  bool uninitialised = false, advice = false;
  bool strict = false;  // what is formal is an error
  bool full_names = false;
  int max = 20;          // findings shown as text
  double timeout = 600;  // seconds of a run
  bool all = false;      // as text: no limit, and consequences in full
  bool rules = false;
  std::optional<std::string> explain;  // a rule
};

}  // namespace aisp::lab
