// docs/cli.md is the help text: the page is embedded and cut at its headings.
#pragma once

#include <string>
#include <string_view>

namespace aisp::lab {

// Without a command the index of all commands, which is the first block of the page; "all" is the
// whole page. Of a command it is the section ("bench run"), of a group ("bench") a line for each of
// its commands. Refuses (Exit::usage) an unknown one.
std::string help_text(std::string_view page, const std::string& command);
std::string help_text(const std::string& command);

}  // namespace aisp::lab
