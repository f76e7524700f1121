// Source lines of PTX lines, with the calls that they were inlined into: what `.loc` says of each
// and `inlined_at` of the next.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/program/text_lines.hpp"

namespace aisp::sim {

struct SourcePlace {
  std::string file;  // "?" where the module does not say
  int line = 0;
};

class SourceChains {
 public:
  // `files`: by their index in `.file`.
  SourceChains(const TextLines& ptx, const std::vector<std::string>& files);
  // The innermost line first; empty where nothing is known.
  std::vector<SourcePlace> of(int ptx_line) const;

 private:
  using Where = std::array<int, 3>;  // file, line, column
  struct Location {
    Where where{}, into{};
    bool inlined = false;
  };
  void read(std::string_view line, int number);

  const std::vector<std::string>& files_;
  std::map<int, Location> by_line_;
};

}  // namespace aisp::sim
