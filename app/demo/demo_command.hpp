// `aisp demo`: the demonstrations of a chapter end to end, in plain words: what each rung does,
// what was measured, and what that shows.
#pragma once

#include <iostream>
#include <string>
#include <vector>

#include "app/demo/demo_report.hpp"

namespace aisp::app {

// `words` are those after `aisp demo`. Returns an exit code; refusals are base::Refusal.
int demo_command(const std::vector<std::string>& words,
                 const std::vector<Demonstration>& demonstrations = all_demonstrations(),
                 std::ostream& out = std::cout);

}  // namespace aisp::app
