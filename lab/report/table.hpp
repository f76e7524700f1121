// A table that can be shown to a person, pasted into a page, or read by a spreadsheet.
#pragma once

#include <string>
#include <vector>

namespace aisp::lab {

struct Column {
  std::string name;
  bool right_aligned = false;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string as_text(const Table& table);
std::string as_markdown(const Table& table);
std::string as_csv(const Table& table);   // RFC 4180
std::string as_json(const Table& table);  // an array of objects, one text per column

}  // namespace aisp::lab
