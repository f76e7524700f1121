// What is wrong with the words of a command, in the user's terms and not in the parser's.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace aisp::lab {

// Refuses (Exit::usage). `words` are those behind the command, in the order in which they were
// typed.
[[noreturn]] void refuse_parse_error(const CLI::App& app, const std::string& command,
                                     const std::vector<std::string>& words,
                                     const CLI::ParseError& error);

}  // namespace aisp::lab
