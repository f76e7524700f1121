#include "sim/program/text_lines.hpp"

namespace aisp::sim {

TextLines::TextLines(std::string_view text) : text_(text) {
  for (std::size_t at = 0; at < text.size();) {
    starts_.push_back(at);
    at = text.find('\n', at);
    if (at == std::string_view::npos) break;
    ++at;
  }
}

std::string_view TextLines::at(int number) const {
  if (number < 1 || number > count()) return {};
  const std::size_t first = starts_[static_cast<std::size_t>(number) - 1];
  return text_.substr(first, text_.find('\n', first) - first);
}

}  // namespace aisp::sim
