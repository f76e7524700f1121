// Names of kernels as their authors wrote them.
#pragma once

#include <string>

namespace aisp::sim {

std::string readable_name(const std::string& mangled);
// ... and as lines for people show them: base/kernel_name.hpp
std::string shown_name(const std::string& mangled);

}  // namespace aisp::sim
