// Names of kernels for people.
#pragma once

#include <string>

namespace aisp::lab {

// "_ZN4ch115scaleILi4EEEvPf" -> "void ch11::scale<4>(float*)"; what is no mangled name stays.
std::string readable(const std::string& mangled);

// The same without result, template arguments and parameters: "ch11::scale".
std::string short_name(const std::string& readable);

}  // namespace aisp::lab
