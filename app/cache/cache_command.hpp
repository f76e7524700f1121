// `aisp cache list|verify|clear`: the kernels that were compiled at run time and kept.
#pragma once

#include <iostream>
#include <string>
#include <vector>

namespace aisp::app {

// `words` are those after the command's name. Returns an exit code; refusals are base::Refusal.
int cache_command(const std::vector<std::string>& words, std::ostream& out = std::cout);

}  // namespace aisp::app
