// What a new module or target may be called. Its name becomes that of a folder, of a namespace and
// of kernels, a word of --targets and, for a module, a target of CMake: each refuses some.
#pragma once

#include <string>

namespace aisp::app {

// Refuse (Exit::usage) with the reason and a name that would do.
void require_module_name(const std::string& name);
void require_target_name(const std::string& name);

// Refuses a name that the command line knows already. Within the chapters no two targets share
// one; a module may have a target that is named like a chapter's, since its kernels are in a
// library of their own.
enum class Among { chapters, modules };
void require_free_name(const std::string& name, Among among);

// "ch" and digits: a chapter's, whether it is there or not.
bool is_chapter_name(const std::string& name);

}  // namespace aisp::app
