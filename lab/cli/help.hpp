// docs/cli.md is the help text: the page is embedded and cut at its headings.
#pragma once

#include <string>
#include <string_view>

namespace aisp::lab {

// The whole page, or the section of a command ("bench run"). Refuses (Exit::usage) an unknown one.
std::string help_text(std::string_view page, const std::string& command);
std::string help_text(const std::string& command);

}  // namespace aisp::lab
