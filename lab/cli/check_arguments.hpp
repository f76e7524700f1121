// The words of `aisp check [options] [--] program arguments`.
#pragma once

#include <string>
#include <vector>

#include "lab/check/options.hpp"

namespace CLI {
class App;
}

namespace aisp::lab {

void add_check_options(CLI::App& app, CheckOptions& check);

// Where the program, or the mark before it, stands among the words after "check"; their number
// when there is none.
std::size_t check_program_at(const std::vector<std::string>& words);

// Splits there: returns the options.
std::vector<std::string> take_checked_program(const std::vector<std::string>& words,
                                              std::vector<std::string>& program);

void refuse_check_contradictions(const CheckOptions& check);

}  // namespace aisp::lab
