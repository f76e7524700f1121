// Tries a module in a process of its own, so that what it does when it is loaded harms nobody.
#pragma once

#include <chrono>
#include <string>

namespace aisp::lab {

// How loading the file and asking it for its targets ends: "" when it returns, else one line.
std::string problem_with_loading(const std::string& file,
                                 std::chrono::milliseconds limit = std::chrono::minutes(1));

}  // namespace aisp::lab
