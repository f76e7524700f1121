// What a linker has to know of one PTX text: the statements at module scope, by their tokens.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "sim/ptx/lexer.hpp"

namespace aisp::sim::ptx {

struct LinkStatement {
  enum class Kind { header, file, function, variable, other } kind = Kind::other;
  enum class Linkage { local, visible, weak, external, common } linkage = Linkage::local;
  bool is_definition = false;           // a function with a body, a variable that is not external
  std::vector<std::string_view> names;  // declared
  std::size_t first_token = 0, end_token = 0;
  std::uint64_t elements = 0;  // of a variable: the product of its extents
};

struct LinkScan {
  std::vector<Token> tokens;
  std::vector<LinkStatement> statements;
};

LinkScan scan(std::string_view text);

}  // namespace aisp::sim::ptx
