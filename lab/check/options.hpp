// What `aisp check` was asked to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lab {

struct CheckOptions {
  std::vector<std::string> program;  // and its arguments
  std::string targets;               // instead of a program
  std::string device, order;
  std::optional<std::uint64_t> seed;
  int explore = 0;
  bool keep_going = false;
  std::string format = "text";
  std::filesystem::path out, suppressions;
  bool uninitialised = false, advice = false;
  int max = 20;          // findings shown as text
  double timeout = 600;  // seconds of a run
  bool rules = false;
};

}  // namespace lab
