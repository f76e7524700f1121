// What copies by TMA reach on one device, by box, swizzle, ring and rank: the table that
//   aisp sweep ch14:tma_configs --axis … --rungs asked
// writes as sweep.csv. Whoever chooses a box reads it instead of guessing.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/home.hpp"
#include "base/refuse.hpp"

namespace aisp::tile::device {

// One measured way to copy; the names are those of the sweep's axes.
struct TmaCell {
  std::string mode{};  // "tile", "im2col"
  int width = 0;       // bytes of a box along the contiguous index
  int rows = 0;        // of a box
  int swizzle = 16;    // 16: none
  int stages = 1;      // of a block's ring
  int blocks = 1;      // per multiprocessor
  int rank = 2;        // of the tensor map
  double gb_per_s = 0;

  std::int64_t bytes_in_flight() const { return std::int64_t{width} * rows * stages * blocks; }
};

// What a copy is bound to; 0 and "": anything.
struct TmaWish {
  std::string mode{};
  int rank = 0, width = 0, swizzle = 0;
  std::int64_t shared_bytes = 0;  // of a multiprocessor, for rings
};

struct TmaTable {
  std::vector<TmaCell> cells{};

  // The fastest one that fits; of equally fast ones that with the fewest bytes. Null: none fits.
  const TmaCell* best(const TmaWish& wish) const {
    const TmaCell* best = nullptr;
    for (const auto& cell : cells) {
      if ((!wish.mode.empty() && cell.mode != wish.mode) ||
          (wish.rank > 0 && cell.rank != wish.rank) ||
          (wish.width > 0 && cell.width != wish.width) ||
          (wish.swizzle > 0 && cell.swizzle != wish.swizzle) ||
          (wish.shared_bytes > 0 && cell.bytes_in_flight() > wish.shared_bytes))
        continue;
      if (best == nullptr || cell.gb_per_s > best->gb_per_s ||
          (cell.gb_per_s == best->gb_per_s && cell.bytes_in_flight() < best->bytes_in_flight()))
        best = &cell;
    }
    return best;
  }
};

namespace detail {

// One line of comma-separated values; cells with commas stand in quotes, quotes are doubled there.
inline std::vector<std::string> csv_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && value > 0 ? std::optional(value) : std::nullopt;
}

// "tile 256x32x16x4x2x2x512x32768": mode, then width, rows, swizzle, stages, blocks, rank, and the
// extents of what was copied.
inline std::optional<TmaCell> cell_of_size(std::string_view size) {
  const auto blank = size.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  std::array<std::int64_t, 8> extents{};
  std::string_view rest = size.substr(blank + 1);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const auto end = std::min(rest.find('x'), rest.size());
    const auto extent = whole_number<std::int64_t>(rest.substr(0, end));
    if (!extent || (i + 1 == extents.size()) != (end == rest.size())) return std::nullopt;
    extents[i] = *extent;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto at = [&](std::size_t i) { return static_cast<int>(extents[i]); };
  return TmaCell{std::string(size.substr(0, blank)), at(0), at(1), at(2), at(3), at(4), at(5), 0};
}

}  // namespace detail

// The cells of `csv`: rows of the rung that takes the configuration as it was asked for, where they
// were measured. Several sweeps may follow each other, each with its own head. Refuses
// (Exit::environment) what is no such table, with `file`, the line and the way out.
inline TmaTable parse_tma_table(std::string_view csv, const std::string& file) {
  TmaTable table;
  std::vector<std::string> head;
  const auto refuse = [&](int line, const auto&... why) {
    base::refuse(base::Exit::environment, file, ", line ", line, ": ", why...,
                 "; write it anew with: aisp sweep ch14:tma_configs --axis width=64:1024:x2 "
                 "--axis rows=8:64:x2");
  };
  for (int number = 1; !csv.empty(); ++number) {
    const auto end = std::min(csv.find('\n'), csv.size());
    const auto cells = detail::csv_cells(csv.substr(0, end));
    csv.remove_prefix(std::min(end + 1, csv.size()));
    if (cells.size() == 1 && cells[0].empty()) continue;
    if (std::find(cells.begin(), cells.end(), "gb_per_s") != cells.end()) {
      head = cells;
      continue;
    }
    if (cells.size() != head.size())
      refuse(number, cells.size(), " cells, and the head has ", head.size());
    const auto value = [&](std::string_view name) -> const std::string& {
      const auto found = std::find(head.begin(), head.end(), name);
      if (found == head.end()) refuse(number, "the head has no column '", name, "'");
      return cells[static_cast<std::size_t>(found - head.begin())];
    };
    if (value("target") != "ch14:tma_configs")
      refuse(number, "this is a row of '", value("target"), "'");
    if (value("rung") != "asked" || value("status") != "measured") continue;
    auto cell = detail::cell_of_size(value("size"));
    if (!cell) refuse(number, "'", value("size"), "' is no size of ch14:tma_configs");
    const auto rate = detail::whole_number<double>(value("gb_per_s"));
    if (!rate) refuse(number, "'", value("gb_per_s"), "' is no rate");
    cell->gb_per_s = *rate;
    table.cells.push_back(*cell);
  }
  return table;
}

// Where a table of this device is looked for: <home>/tuned/tma-<device>.csv.
inline std::filesystem::path tma_table_path(const std::string& device) {
  return base::home() / "tuned" / ("tma-" + base::file_word(device) + ".csv");
}

// Nothing where there is no such file.
inline std::optional<TmaTable> read_tma_table(const std::filesystem::path& path) {
  const base::FileText read = base::read_file(path);
  if (read.missing) return std::nullopt;
  if (!read.problem.empty())
    base::refuse(base::Exit::environment, "cannot read ", path.string(), ": ", read.problem,
                 "; remove it, or set AISP_HOME to another folder");
  return parse_tma_table(read.text, path.string());
}

}  // namespace aisp::tile::device
