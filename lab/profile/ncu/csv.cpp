#include "lab/profile/ncu/csv.hpp"

namespace aisp::lab::ncu {
namespace {

// Reads one row from `at` on, which then stands behind it. False when the text ended inside quotes.
bool read_row(std::string_view text, std::size_t& at, CsvRow& row) {
  row.assign(1, "");
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char letter = text[at];
    if (quoted) {
      if (letter != '"') {
        row.back() += letter;
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        row.back() += '"';
        ++at;
      } else {
        quoted = false;
      }
    } else if (letter == '"') {
      quoted = true;
    } else if (letter == ',') {
      row.emplace_back();
    } else if (letter == '\n') {
      ++at;
      return true;
    } else if (letter != '\r') {
      row.back() += letter;
    }
  }
  return !quoted;
}

}  // namespace

std::vector<CsvRow> read_csv(std::string_view text) {
  std::vector<CsvRow> rows;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at).starts_with("==")) {
      const auto end = text.find('\n', at);
      at = end == std::string_view::npos ? text.size() : end + 1;
      continue;
    }
    CsvRow row;
    if (!read_row(text, at, row)) break;
    if (row.size() > 1 || !row.front().empty()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace aisp::lab::ncu
