// New files of this tree in its format: names of another length break lines at other places.
#pragma once

#include <filesystem>
#include <vector>

namespace aisp::app {

// By the .clang-format above the files; leaves them alone where there is none. False when the
// formatter of the tree's version is not on this machine.
bool format_files(const std::vector<std::filesystem::path>& files);

}  // namespace aisp::app
