#include "lab/profile/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace aisp::lab {

std::string readable(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : mangled;
}

std::string short_name(const std::string& readable) {
  constexpr std::string_view unnamed = "(anonymous namespace)::";
  std::string text = readable;
  for (auto at = text.find(unnamed); at != std::string::npos; at = text.find(unnamed))
    text.erase(at, unnamed.size());
  std::string name;
  int depth = 0;
  for (const char letter : text) {
    if (letter == '(' && depth == 0) break;  // the parameters
    if (letter == '<') ++depth;
    if (depth == 0 && letter == ' ')
      name.clear();  // what stood before was the result
    else if (depth == 0)
      name += letter;
    if (letter == '>') --depth;
  }
  return name.empty() ? readable : name;
}

}  // namespace aisp::lab
