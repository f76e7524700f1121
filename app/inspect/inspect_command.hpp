// `aisp inspect`: what a rung is made of, from its source to what it launches.
#pragma once

#include <iostream>
#include <string>
#include <vector>

namespace aisp::app {

// `words` are those after the command's name. Returns an exit code; refusals are base::Refusal.
int inspect_command(const std::vector<std::string>& words, std::ostream& out = std::cout);

}  // namespace aisp::app
