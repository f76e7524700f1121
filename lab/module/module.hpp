// A module that this process has loaded, and what a run writes down about it.
#pragma once

#include <string>

namespace aisp::lab {

struct Module {
  std::string name;    // the chapter of its targets
  std::string file;    // absolute
  std::string folder;  // of the targets' sources
  std::string
      digest;  // SHA-256 of the file's bytes: a run goes on with the same code or not at all
  bool operator==(const Module&) const = default;
};

}  // namespace aisp::lab
