#include "sim/machine/names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "base/kernel_name.hpp"

namespace aisp::sim {

std::string readable_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text ? std::string(text.get()) : mangled;
}

std::string shown_name(const std::string& mangled) {
  return base::shown_kernel_name(readable_name(mangled));
}

}  // namespace aisp::sim
