// Which command a mistyped one may be meant to be.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace aisp::lab {

// One of `names` ("bench run", "sweep"), or the first word of some ("bench"). The words are the
// first ones of a command line, or of `aisp help`. Knows commands of two words by their second word
// too: "run" is "bench run".
std::optional<std::string> nearest_command(const std::vector<std::string>& words,
                                           const std::vector<std::string>& names);

}  // namespace aisp::lab
