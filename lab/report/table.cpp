#include "lab/report/table.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace aisp::lab {
namespace {

// Columns on screen, not bytes: continuation bytes of UTF-8 take no room.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::string space(columns - std::min(columns, width(text)), ' ');
  return right ? space + text : text + space;
}

std::vector<std::size_t> widths_of(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    widths.push_back(width(table.columns[i].name));
    for (const auto& row : table.rows) widths[i] = std::max(widths[i], width(row[i]));
  }
  return widths;
}

std::vector<std::string> header_of(const Table& table) {
  std::vector<std::string> names;
  for (const auto& column : table.columns) names.push_back(column.name);
  return names;
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

std::string as_text(const Table& table) {
  const auto widths = widths_of(table);
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i != 0) row += "  ";
      row += padded(cells[i], widths[i], table.columns[i].right_aligned);
    }
    row.erase(row.find_last_not_of(' ') + 1);
    text += row + "\n";
  };
  line(header_of(table));
  for (const auto& row : table.rows) line(row);
  return text;
}

std::string as_markdown(const Table& table) {
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    text += "|";
    for (const auto& cell : cells) {
      text += ' ';
      for (const char c : cell) text += c == '|' ? std::string("\\|") : std::string(1, c);
      text += " |";
    }
    text += "\n";
  };
  line(header_of(table));
  text += "|";
  for (const auto& column : table.columns) text += column.right_aligned ? "---:|" : "---|";
  text += "\n";
  for (const auto& row : table.rows) line(row);
  return text;
}

std::string as_csv(const Table& table) {
  std::string text;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) text += (i == 0 ? "" : ",") + csv_cell(cells[i]);
    text += "\r\n";
  };
  line(header_of(table));
  for (const auto& row : table.rows) line(row);
  return text;
}

std::string as_json(const Table& table) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto& object = list.emplace_back(nlohmann::ordered_json::object());
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i].name] = row[i];
  }
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace aisp::lab
