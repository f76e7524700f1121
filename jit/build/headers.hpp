// What a kernel that is compiled at run time may include: the tile library, and a few names of the
// standard library. All of it is in the program, so that the same text means the same everywhere.
#pragma once

#include <string_view>
#include <vector>

namespace aisp::jit {

struct Header {
  std::string_view name, text;
};

const std::vector<Header>& kernel_headers();

}  // namespace aisp::jit
