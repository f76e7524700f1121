// `aisp completion`: prints the script with which a shell completes aisp's commands and options.
#pragma once

#include <iostream>
#include <string>
#include <vector>

namespace aisp::app {

// `words` are those after `aisp completion`. Returns an exit code; refusals are base::Refusal.
int completion_command(const std::vector<std::string>& words, std::ostream& out = std::cout);

}  // namespace aisp::app
