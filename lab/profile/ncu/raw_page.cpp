#include "lab/profile/ncu/raw_page.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "base/refuse.hpp"
#include "lab/profile/ncu/csv.hpp"

namespace aisp::lab::ncu {
namespace {

// What a unit is worth in bytes or nanoseconds; 1 for what is neither.
double scale_of(std::string_view unit) {
  static const std::map<std::string, double, std::less<>> units{
      {"byte", 1},          {"Kbyte", 1e3},  {"Mbyte", 1e6},    {"Gbyte", 1e9},
      {"Tbyte", 1e12},      {"B", 1},        {"KB", 1e3},       {"MB", 1e6},
      {"GB", 1e9},          {"TB", 1e12},    {"nsecond", 1},    {"usecond", 1e3},
      {"msecond", 1e6},     {"second", 1e9}, {"ns", 1},         {"us", 1e3},
      {"ms", 1e6},          {"s", 1e9},      {"byte/block", 1}, {"Kbyte/block", 1e3},
      {"Mbyte/block", 1e6}, {"sector", 1},   {"Ksector", 1e3},  {"Msector", 1e6},
      {"inst", 1},          {"Kinst", 1e3},  {"Minst", 1e6},    {"Ginst", 1e9},
      {"cycle", 1},         {"Kcycle", 1e3}, {"Mcycle", 1e6}};
  const auto found = units.find(unit);
  return found != units.end() ? found->second : 1;
}

// "(132, 1, 1)" -> {132, 1, 1}
std::vector<int> extents(std::string_view text) {
  std::vector<int> numbers;
  int current = -1;
  for (const char letter : text) {
    if (std::isdigit(static_cast<unsigned char>(letter)) != 0 && current < 100'000'000) {
      current = std::max(current, 0) * 10 + (letter - '0');
    } else if (letter != ' ' && current >= 0) {
      numbers.push_back(current);
      current = -1;
    }
  }
  if (current >= 0) numbers.push_back(current);
  return numbers;
}

// The last "aisp:<number>" in a cell of NVTX ranges: the innermost.
int range_in(std::string_view text) {
  constexpr std::string_view mark = "aisp:";
  const auto at = text.rfind(mark);
  if (at == std::string_view::npos) return -1;
  const auto numbers =
      extents(text.substr(at + mark.size(), 6)
                  .substr(0, text.substr(at + mark.size()).find_first_not_of("0123456789")));
  return numbers.empty() ? -1 : numbers.front();
}

class Columns {
 public:
  explicit Columns(const CsvRow& header) : header_(header) {}

  const CsvRow& names() const { return header_; }
  std::string cell(const CsvRow& row, const char* name) const {
    const auto at = std::find(header_.begin(), header_.end(), name);
    const auto place = static_cast<std::size_t>(at - header_.begin());
    return at != header_.end() && place < row.size() ? row[place] : "";
  }
  bool has(const char* name) const {
    return std::find(header_.begin(), header_.end(), name) != header_.end();
  }

 private:
  const CsvRow& header_;
};

RawKernel kernel_of(const Columns& columns, const CsvRow& units, const CsvRow& row) {
  RawKernel kernel{.name = columns.cell(row, "Kernel Name"),
                   .grid = extents(columns.cell(row, "Grid Size")),
                   .block = extents(columns.cell(row, "Block Size")),
                   .metrics = {}};
  for (std::size_t i = 0; i < columns.names().size(); ++i) {
    const std::string& name = columns.names()[i];
    if (name.find("Push/Pop") != std::string::npos)
      kernel.range = std::max(kernel.range, range_in(row[i]));
    if (name.find("__") == std::string::npos) continue;  // metrics have it, other columns have not
    if (const auto value = number(row[i], i < units.size() ? units[i] : ""))
      kernel.metrics[name] = *value;
  }
  return kernel;
}

}  // namespace

std::optional<double> number(std::string_view text, std::string_view unit) {
  std::string digits;
  for (const char letter : text)
    if (letter != ',' && letter != ' ') digits += letter;
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0' || !std::isfinite(value)) return std::nullopt;
  return value * scale_of(unit);
}

std::optional<double> RawKernel::metric(const std::string& wanted) const {
  const auto found = metrics.find(wanted);
  if (found == metrics.end()) return std::nullopt;
  return found->second;
}

RawPage read_raw_page(std::string_view text) {
  const auto rows = read_csv(text);
  const auto header = std::find_if(rows.begin(), rows.end(), [](const CsvRow& row) {
    return row.front() == "ID" && std::find(row.begin(), row.end(), "Kernel Name") != row.end();
  });
  if (header == rows.end()) return {.problem = "ncu's output has no table of kernels"};
  const Columns columns(*header);
  CsvRow units;
  RawPage page;
  int short_rows = 0;
  for (auto row = header + 1; row != rows.end(); ++row) {
    if (row->size() < header->size()) {
      ++short_rows;
      continue;
    }
    if (row->front().empty())
      units = *row;
    else
      page.kernels.push_back(kernel_of(columns, units, *row));
  }
  if (short_rows > 0)
    page.problem =
        base::say(short_rows, " of ", page.kernels.size() + static_cast<std::size_t>(short_rows),
                  " rows of ncu's table are cut short");
  else if (page.kernels.empty())
    page.problem = "ncu's table holds no kernel";
  return page;
}

}  // namespace aisp::lab::ncu
