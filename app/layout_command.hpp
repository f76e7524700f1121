// `aisp layout`: reads a layout, applies operations to it, prints and draws what comes out.
#pragma once

#include <iostream>
#include <string>
#include <vector>

namespace aisp::app {

// `words` are those after `aisp layout`. Returns an exit code; refusals are base::Refusal.
int layout_command(const std::vector<std::string>& words, std::ostream& out = std::cout);

}  // namespace aisp::app
