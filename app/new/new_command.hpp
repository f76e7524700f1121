// `aisp new project` and `aisp new target`: files to begin with, which build and pass at once.
#pragma once

#include <iostream>
#include <string>
#include <vector>

namespace aisp::app {

// `words` are those after the command's name. They return an exit code; refusals are base::Refusal.
int new_project_command(const std::vector<std::string>& words, std::ostream& out = std::cout);
int new_target_command(const std::vector<std::string>& words, std::ostream& out = std::cout);

}  // namespace aisp::app
