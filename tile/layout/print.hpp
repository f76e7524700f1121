// Draws layouts: as a grid of text, or as SVG. Mode 0 gives the rows, the other modes together the
// columns; each cell shows its offset, or for thread-value layouts who owns it. The same layout
// always gives the same bytes. Host only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tile/layout/text.hpp"

namespace aisp::tile {

struct Cell {
  std::string label;
  int colour = -1;  // place in the palette, which repeats; -1 is white
};

struct Grid {
  int rows = 0, columns = 0;
  std::vector<Cell> cells;  // row by row

  const Cell& at(int row, int column) const { return cells[row * columns + column]; }
};

// Offsets of a layout; a single mode is drawn as one row.
inline Grid grid_of(const Swizzled& composed) {
  const bool matrix = rank(composed) > 1;
  Grid grid;
  grid.rows = matrix ? size(mode(composed.layout.shape, 0)) : 1;
  grid.columns = size(composed) / grid.rows;
  for (int row = 0; row < grid.rows; ++row)
    for (int column = 0; column < grid.columns; ++column) {
      const int offset = composed(row + column * grid.rows);
      grid.cells.push_back({std::to_string(offset), offset});
    }
  return grid;
}
inline Grid grid_of(const Layout& layout) { return grid_of(Swizzled{{}, 0, layout}); }

// A (thread, value) layout over a tile: its offsets are column-major indices of the tile. A cell
// that several own names the first and marks it with +; one that nobody owns is a dot.
inline Grid owners_of(const Layout& thread_value, const Shape& tile) {
  require(rank(thread_value) == 2, LayoutRule::same_rank, rank(thread_value), 2);
  require(cosize(thread_value) <= size(tile), LayoutRule::inner_within_outer, cosize(thread_value),
          size(tile));
  Grid grid;
  grid.rows = rank(tile) > 1 ? size(mode(tile, 0)) : 1;
  grid.columns = size(tile) / grid.rows;
  grid.cells.assign(size(tile), {".", -1});
  const int threads = size(mode(thread_value, 0)), values = size(mode(thread_value, 1));
  for (int thread = 0; thread < threads; ++thread)
    for (int value = 0; value < values; ++value) {
      const int index = thread_value(thread, value);
      Cell& cell = grid.cells[index % grid.rows * grid.columns + index / grid.rows];
      if (cell.colour >= 0) {
        if (cell.label.back() != '+') cell.label += '+';
        continue;
      }
      cell = {"T" + std::to_string(thread) + "V" + std::to_string(value), thread};
    }
  return grid;
}

inline std::string to_text(const Grid& grid) {
  const auto right = [](const std::string& text, std::size_t width) {
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
  };
  std::size_t width = std::to_string(grid.columns - 1).size();
  for (const Cell& cell : grid.cells) width = std::max(width, cell.label.size());
  const std::size_t head = std::to_string(grid.rows - 1).size();
  std::string columns = std::string(head, ' ') + " |", out;
  for (int column = 0; column < grid.columns; ++column)
    columns += ' ' + right(std::to_string(column), width);
  out = columns + '\n' + std::string(head + 1, '-') + '+' +
        std::string((width + 1) * grid.columns, '-') + '\n';
  for (int row = 0; row < grid.rows; ++row) {
    out += right(std::to_string(row), head) + " |";
    for (int column = 0; column < grid.columns; ++column)
      out += ' ' + right(grid.at(row, column).label, width);
    out += '\n';
  }
  return out;
}

namespace detail {

inline std::string svg_text(int x, int y, const std::string& text) {
  return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\">" + text +
         "</text>\n";
}
inline std::string svg_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += c;
  }
  return out;
}

}  // namespace detail

// Cells of 48 by 24 pixels under a title, with the numbers of rows and columns around them.
inline std::string to_svg(const Grid& grid, const std::string& title) {
  static constexpr const char* palette[] = {"#cfe2f3", "#f9dcc4", "#d9ead3", "#ead1dc",
                                            "#fff2b2", "#d0e0e3", "#e6d7f5", "#e2e2e2"};
  constexpr int wide = 48, high = 24, left = 48, top = 48;
  const auto text = [](int value) { return std::to_string(value); };
  const int width = left + wide * grid.columns + 8;
  const int height = top + high * grid.rows + 8;
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + text(width) +
                    "\" height=\"" + text(height) + "\" viewBox=\"0 0 " + text(width) + " " +
                    text(height) + "\" font-family=\"monospace\" font-size=\"12\">\n" +
                    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
                    detail::svg_text(8, 16, detail::svg_escaped(title)) +
                    "<g text-anchor=\"middle\">\n";
  for (int column = 0; column < grid.columns; ++column)
    out += detail::svg_text(left + wide * column + wide / 2, top - 8, text(column));
  for (int row = 0; row < grid.rows; ++row) {
    const int y = top + high * row;
    out += detail::svg_text(left / 2, y + 16, text(row));
    for (int column = 0; column < grid.columns; ++column) {
      const Cell& cell = grid.at(row, column);
      const int x = left + wide * column;
      const char* fill = cell.colour < 0 ? "white" : palette[cell.colour % 8];
      out += "<rect x=\"" + text(x) + "\" y=\"" + text(y) + "\" width=\"" + text(wide) +
             "\" height=\"" + text(high) + "\" fill=\"" + fill + "\" stroke=\"#666\"/>\n" +
             detail::svg_text(x + wide / 2, y + 16, detail::svg_escaped(cell.label));
    }
  }
  return out + "</g>\n</svg>\n";
}

}  // namespace aisp::tile
