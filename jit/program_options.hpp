// How a program is compiled, whatever it is called with.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "jit/cache/store.hpp"

namespace aisp::jit {

struct ProgramOptions {
  std::string architecture{};                     // empty: the current device's
  Store* store = nullptr;                         // null: the one in base::home()
  int limit = 8;                                  // variants for one set of choices
  std::function<void(const std::string&)> say{};  // empty: a line on standard error
  std::filesystem::path tuned{};  // what tuning kept; empty: the device's file in base::home()
};

using Choices = std::map<std::string, std::int64_t>;

}  // namespace aisp::jit
