// The user's call as it stands in his file, for messages alone: kernels and their keys never
// depend on whether the file is there.
#pragma once

#include <source_location>
#include <string>

#include "jit/ir/function.hpp"

namespace aisp::jit {

Place place_of(const std::source_location& location);

// "sum(v, 2)" out of the line where `function` was called; nothing where it cannot be read.
std::string call_text(const std::source_location& location, const std::string& function);

}  // namespace aisp::jit
