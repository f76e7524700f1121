// examples/own_targets as it was when the program was built; app/CMakeLists.txt makes the table.
#pragma once

#include <string_view>
#include <vector>

namespace aisp::app {

struct EmbeddedFile {
  std::string_view path, text;
};

std::vector<EmbeddedFile> own_targets();

}  // namespace aisp::app
