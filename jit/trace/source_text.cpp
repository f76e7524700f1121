#include "jit/trace/source_text.hpp"

#include <cctype>
#include <fstream>

namespace aisp::jit {

Place place_of(const std::source_location& location) {
  const std::string path = location.file_name();
  return {path.substr(path.rfind('/') + 1), static_cast<int>(location.line())};
}

std::string call_text(const std::source_location& location, const std::string& function) {
  std::ifstream file(location.file_name());
  std::string line;
  for (unsigned number = 0; number < location.line(); ++number)
    if (!std::getline(file, line)) return "";
  const auto is_word = [](char letter) {
    return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
  };
  for (auto at = line.find(function + "("); at != std::string::npos;
       at = line.find(function + "(", at + 1)) {
    if (at > 0 && is_word(line[at - 1])) continue;
    int depth = 0;
    for (auto end = at + function.size(); end < line.size(); ++end) {
      depth += line[end] == '(' ? 1 : line[end] == ')' ? -1 : 0;
      if (depth == 0) return line.substr(at, end + 1 - at);
    }
  }
  return "";
}

}  // namespace aisp::jit
