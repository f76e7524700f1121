// Where expectation files are kept: those of a chapter in its folder of this tree, those of a
// module beside its targets' sources.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/module/module.hpp"

namespace aisp::lab {

// The chapters' folder: $AISP_CHAPTERS, else beside the program's build folder, else ./chapters.
std::filesystem::path chapters_root();

// The folder of one chapter's files. Where a module was built on another machine, and its sources
// are not here, it is the folder of the module itself.
std::filesystem::path expectations_folder(const std::string& chapter);

// Every expectation file of this tree and of the loaded modules and `more`, by path; of one chapter
// where `chapter` is not "". Refuses (Exit::environment) when there is neither tree nor module.
std::vector<std::filesystem::path> expectation_files(const std::string& chapter,
                                                     const std::vector<Module>& more = {});

}  // namespace aisp::lab
