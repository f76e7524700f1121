// `aisp draw sync`: the synchronisation graph of a kernel, from one simulated run of it.
#pragma once

#include <iostream>
#include <string>
#include <vector>

namespace aisp::app {

// `words` are those after the command's name. Returns an exit code; refusals are base::Refusal.
int draw_sync_command(const std::vector<std::string>& words, std::ostream& out = std::cout);

}  // namespace aisp::app
