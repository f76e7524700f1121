#include "lab/profile/ncu/source_page.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "lab/profile/ncu/csv.hpp"
#include "lab/profile/ncu/raw_page.hpp"

namespace aisp::lab::ncu {
namespace {

std::optional<std::size_t> column(const CsvRow& header,
                                  std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    for (std::size_t i = 0; i < header.size(); ++i)
      if (header[i] == name) return i;
  return std::nullopt;
}

bool is_header(const CsvRow& row) {
  return column(row, {"Source"}) && column(row, {"Line No", "#", "Address"});
}

std::string cell(const CsvRow& row, std::optional<std::size_t> place) {
  return place && *place < row.size() ? row[*place] : "";
}

std::string trimmed(std::string text) {
  const auto space = [](unsigned char letter) { return std::isspace(letter) != 0; };
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), space));
  text.erase(std::find_if_not(text.rbegin(), text.rend(), space).base(), text.end());
  return text;
}

// The table has short names for what the raw page calls by its whole one.
std::string whole_name(std::string cause) {
  static const std::map<std::string, std::string> names{{"long_sb", "long scoreboard"},
                                                        {"short_sb", "short scoreboard"},
                                                        {"math", "math pipe throttle"},
                                                        {"mio", "mio throttle"},
                                                        {"lg", "lg throttle"},
                                                        {"tex", "tex throttle"},
                                                        {"imc", "imc miss"},
                                                        {"no_inst", "no instruction"},
                                                        {"dispatch", "dispatch stall"},
                                                        {"sleep", "sleeping"}};
  if (const auto found = names.find(cause); found != names.end()) return found->second;
  std::replace(cause.begin(), cause.end(), '_', ' ');
  return cause;
}

// The columns of one table.
struct Table {
  std::optional<std::size_t> line, source, samples;
  std::vector<std::pair<std::size_t, std::string>> stalls;

  explicit Table(const CsvRow& header)
      : line(column(header, {"Line No", "#"})),
        source(column(header, {"Source"})),
        samples(column(header, {"# Samples", "Warp Stall Sampling (All Samples)",
                                "Warp Stall Sampling (All Cycles)", "Sampling Data (All)"})) {
    for (std::size_t i = 0; i < header.size(); ++i)
      if (header[i].starts_with("stall_") && !header[i].ends_with("(Not Issued)") &&
          !header[i].ends_with("_not_issued")) {
        stalls.emplace_back(i, whole_name(header[i].substr(6)));
      }
  }

  std::string worst_stall(const CsvRow& row) const {
    std::string worst;
    double most = 0;
    for (const auto& [place, cause] : stalls) {
      const double count = place < row.size() ? number(row[place], "").value_or(0) : 0;
      if (count <= most || cause == "selected") continue;
      most = count;
      worst = cause;
    }
    return worst;
  }
};

void finish(SourcePage& page, std::size_t most_lines) {
  double all = 0;
  for (const auto& line : page.lines) all += line.percent;
  if (all <= 0) page.lines.clear();
  for (auto& line : page.lines) line.percent *= 100 / all;
  std::stable_sort(page.lines.begin(), page.lines.end(),
                   [](const LineRecord& a, const LineRecord& b) { return a.percent > b.percent; });
  std::erase_if(page.lines, [](const LineRecord& line) { return line.percent < 0.5; });
  if (page.lines.size() > most_lines) page.lines.resize(most_lines);
}

}  // namespace

std::vector<SourcePage> read_source_pages(std::string_view text, std::size_t most_lines) {
  std::vector<SourcePage> pages;
  std::set<std::string> files;  // of the last page
  std::optional<Table> table;
  std::string file;
  // A kernel has a table for each file that went into it. Another name, or a file once more, is the
  // next kernel.
  const auto begin = [&](const std::string& kernel) {
    table.reset();
    if (pages.empty() || pages.back().kernel != kernel || file.empty() || files.contains(file)) {
      pages.push_back({.kernel = kernel, .lines = {}});
      files.clear();
    }
    files.insert(file);
  };
  for (const CsvRow& row : read_csv(text)) {
    if (row.front() == "File Path" && row.size() > 1) {
      file = row[1];
      table.reset();
    } else if ((row.front() == "Function Name" || row.front() == "Kernel Name") && row.size() > 1) {
      if (row.front() == "Kernel Name") file.clear();
      begin(row[1]);
    } else if (is_header(row)) {
      table.emplace(row);
    } else if (table && !pages.empty()) {
      // Below a source line stand its machine instructions, without a number.
      const std::string line = cell(row, table->line);
      const double samples = number(cell(row, table->samples), "").value_or(0);
      if ((table->line && line.empty()) || samples <= 0) continue;
      pages.back().lines.push_back(
          {.file = table->line ? file.substr(file.rfind('/') + 1) : "machine code",
           .line = static_cast<int>(number(line, "").value_or(0)),
           .text = trimmed(cell(row, table->source)),
           .percent = samples,
           .stall = table->worst_stall(row)});
    }
  }
  for (auto& page : pages) finish(page, most_lines);
  return pages;
}

}  // namespace aisp::lab::ncu
