#include "sim/program/source_chain.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <system_error>

namespace aisp::sim {
namespace {

// The numbers that follow the first `word` of the text, as many as are wanted; false when there are
// fewer.
bool numbers_after(std::string_view word, std::string_view text, std::array<int*, 3> wanted) {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return false;
  text.remove_prefix(at + word.size());
  for (int* number : wanted) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *number);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return true;
}

}  // namespace

SourceChains::SourceChains(const TextLines& ptx, const std::vector<std::string>& files)
    : files_(files) {
  for (int number = 1; number <= ptx.count(); ++number) read(ptx.at(number), number);
}

std::vector<SourcePlace> SourceChains::of(int ptx_line) const {
  constexpr std::size_t deepest = 32;
  std::vector<SourcePlace> chain;
  auto found = by_line_.upper_bound(ptx_line);
  while (found != by_line_.begin() && chain.size() < deepest) {
    const Location& location = std::prev(found)->second;
    const auto& [file, line, column] = location.where;
    const bool known = file > 0 && static_cast<std::size_t>(file) < files_.size();
    chain.push_back({known ? files_[static_cast<std::size_t>(file)] : "?", line});
    if (!location.inlined) break;
    // The call itself has a `.loc` further up, with what it was inlined into.
    while (found != by_line_.begin() && std::prev(found)->second.where != location.into) --found;
  }
  return chain;
}

void SourceChains::read(std::string_view line, int number) {
  Location location;
  auto& [file, row, column] = location.where;
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos || !line.substr(first).starts_with(".loc") ||
      !numbers_after(".loc", line, {&file, &row, &column}))
    return;
  auto& [from_file, from_row, from_column] = location.into;
  location.inlined = numbers_after("inlined_at", line, {&from_file, &from_row, &from_column});
  by_line_[number] = location;
}

}  // namespace aisp::sim
