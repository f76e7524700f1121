// Modules are code that runs as the user who loads them. Which ones a user has given to --load is
// kept in aisp's own folder, so that a run file, which may come from anywhere, cannot name another.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "lab/module/module.hpp"

namespace aisp::lab {

// Keeps the SHA-256 of a module that the user has named, under the real path of its file. Where
// aisp has no folder of its own nothing is kept, and --resume asks again.
void remember_module(const std::filesystem::path& file, const std::string& sha256);

// Refuses (Exit::usage) a module of a run whose file the user has not given to --load with these
// bytes, before anything of it is loaded.
void require_remembered(const std::vector<Module>& modules);

}  // namespace aisp::lab
