// How lines for people name a kernel: library kernels have names of two screens.
#pragma once

#include <string>
#include <string_view>

namespace aisp::base {

// Of a demangled name longer than a line: without its result, template arguments and parameters
// within arguments as <...>, and only as many of the first ones as fit.
std::string short_kernel_name(std::string_view readable);

// The short name, or the whole one where AISP_SIM_FULL_NAMES=1.
std::string shown_kernel_name(std::string_view readable);

}  // namespace aisp::base
