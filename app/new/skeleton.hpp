// The files of a new target or project: those of examples/own_targets, which the program carries,
// with other names in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aisp::app {

struct NewFile {
  std::string path;  // from the folder that is written
  std::string text;
};

// A project whose module is `module`, with one target in it.
std::vector<NewFile> project_files(const std::string& module, const std::string& target);

// A further target of a module.
std::vector<NewFile> module_target_files(const std::string& module, const std::string& target);

// A target of a chapter: it includes by the path from the root, because kernels of a folder are
// compiled together elsewhere, and is in the chapter's namespace.
std::vector<NewFile> chapter_target_files(const std::string& chapter, const std::string& target);

// The first block of commands that a page shows.
std::string commands_of(std::string_view page);

}  // namespace aisp::app
