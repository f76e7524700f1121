// aisp tune program: times the choices of a rung that is compiled at run time and keeps the
// fastest for this device.
#pragma once

#include <iosfwd>
#include <iostream>
#include <string>
#include <vector>

namespace aisp::app {

int tune_program_command(const std::vector<std::string>& words, std::ostream& out = std::cout);

}  // namespace aisp::app
