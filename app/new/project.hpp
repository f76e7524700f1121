// A project that has modules of targets, as its CMakeLists.txt says.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace aisp::app {

struct Module {
  std::string name;
  std::filesystem::path targets;  // the folder whose folders are its targets
};

// Every aisp_add_targets(<module> DIR <folder> …) in the text of a CMakeLists.txt; relative folders
// begin at `root`. A folder that another variable names is left empty.
std::vector<Module> modules_in(std::string_view cmake, const std::filesystem::path& root);

// Those of the nearest CMakeLists.txt with any, at or above a folder.
std::vector<Module> modules_above(std::filesystem::path folder);

}  // namespace aisp::app
