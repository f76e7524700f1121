// Where the parts of the picture lie, in pixels of its own coordinates.
#pragma once

#include <string>
#include <vector>

#include "lab/draw/sync_graph.hpp"

namespace aisp::lab {

struct SyncBox {
  double left = 0, top = 0, width = 0, height = 0;
  std::vector<std::string> lines;
  double middle() const { return left + width / 2; }
  double bottom() const { return top + height; }
};

struct SyncArrowPlace {
  double role = 0, barrier = 0;  // where it begins and ends
  double y = 0;                  // of the arrow, its words stand above
  bool from_left = false;        // the role stands to the left of the barrier
};

struct SyncLayout {
  std::vector<SyncBox> roles, nodes;
  std::vector<SyncArrowPlace> edges;
  double width = 0, height = 0;
};

inline constexpr double sync_line_height = 16;

// `title`: the longest line above the picture, in characters.
SyncLayout lay_out(const SyncGraph& graph, std::size_t title);

}  // namespace aisp::lab
