#include "jit/build/headers.hpp"

#include <charconv>
#include <stdexcept>

namespace aisp::embedded {
extern const std::string_view kernel_headers;
}  // namespace aisp::embedded

namespace aisp::jit {
namespace {

constexpr std::string_view standard_names[] = {
    "algorithm",        "array",   "bit",    "cmath",       "concepts",
    "cstddef",          "cstdint", "cstdio", "cstring",     "exception",
    "initializer_list", "limits",  "tuple",  "type_traits", "utility"};

// cmake/write_bundle.cmake writes them: `@@ <name> <bytes>`, then the text.
std::vector<Header> unpacked(std::string_view bundle) {
  std::vector<Header> headers;
  while (!bundle.empty()) {
    const auto line = bundle.substr(0, bundle.find('\n'));
    const auto blank = line.rfind(' ');
    std::size_t bytes = 0;
    const auto number = line.substr(blank + 1);
    std::from_chars(number.data(), number.data() + number.size(), bytes);
    if (!line.starts_with("@@ ") || blank < 3 || bundle.size() < line.size() + 1 + bytes)
      throw std::logic_error("the program's bundle of headers is damaged");
    headers.push_back({line.substr(3, blank - 3), bundle.substr(line.size() + 1, bytes)});
    bundle.remove_prefix(line.size() + 1 + bytes);
  }
  return headers;
}

std::vector<Header> with_stand_ins(std::vector<Header> headers) {
  std::vector<Header> made;
  for (const Header& header : headers) {
    if (header.name == "jit/build/headers/std.inc")
      for (const auto name : standard_names) made.push_back({name, header.text});
    else if (header.name == "jit/build/headers/cuda.inc")
      made.push_back({"cuda.h", header.text});
    else
      made.push_back(header);
  }
  return made;
}

}  // namespace

const std::vector<Header>& kernel_headers() {
  static const auto headers = with_stand_ins(unpacked(embedded::kernel_headers));
  return headers;
}

}  // namespace aisp::jit
