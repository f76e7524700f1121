#include "lab/draw/sync_layout.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/report/svg.hpp"

namespace aisp::lab {
namespace {

constexpr double margin = 16, padding = 10, header = 64, between_bands = 22, arrow_room = 34;
constexpr std::size_t longest_line = 30;  // of a role's work, in characters

double width_of(const std::string& text) {
  return svg::character * static_cast<double>(text.size());
}

double widest(const std::vector<std::string>& lines) {
  double width = 0;
  for (const auto& line : lines) width = std::max(width, width_of(line));
  return width;
}

double height_of(const std::vector<std::string>& lines) {
  return sync_line_height * static_cast<double>(lines.size());
}

// At the commas, where it is longer than a line should be.
std::vector<std::string> wrapped(const std::string& text) {
  std::vector<std::string> lines;
  for (const auto& part : base::split(text, ',')) {
    const std::string word = part.substr(std::min(part.find_first_not_of(' '), part.size()));
    if (word.empty()) continue;
    if (!lines.empty() && lines.back().size() + word.size() + 2 <= longest_line)
      lines.back() += ", " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

// Space between two roles: words to the left of its barriers, the barriers, words to the right.
struct Gap {
  double left = padding, box = 0, right = padding;
  double width() const { return box == 0 ? 0 : left + box + right; }
};

class Arrangement {
 public:
  explicit Arrangement(const SyncGraph& graph) : graph_(graph), gaps_(graph.roles.size() + 1) {
    for (const auto& role : graph.roles) {
      SyncBox& box = layout_.roles.emplace_back();
      box.lines = {role.who};
      for (auto& line : wrapped(role.work)) box.lines.push_back(std::move(line));
      box.width = widest(box.lines) + 2 * padding;
    }
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) add_node(node);
  }

  SyncLayout made(std::size_t title) {
    place_roles();
    double y = bottom_of_roles() + between_bands;
    layout_.edges.resize(graph_.edges.size());
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) y = place_band(node, y);
    layout_.height = y + sync_line_height + margin;
    layout_.width =
        std::max(layout_.width, svg::character * static_cast<double>(title) + 2 * margin);
    return std::move(layout_);
  }

 private:
  // The gap in which its arrows are shortest; gap i lies in front of role i.
  std::size_t gap_for(std::size_t node) const {
    std::size_t best = 1;
    int least = INT32_MAX;
    for (std::size_t gap = 1; gap < gaps_.size(); ++gap) {
      int length = 0;
      for (const auto& edge : graph_.edges)
        if (edge.node == node)
          length += edge.role < gap ? static_cast<int>(gap - edge.role)
                                    : static_cast<int>(edge.role - gap) + 1;
      if (length < least) {
        least = length;
        best = gap;
      }
    }
    return best;
  }

  void add_node(std::size_t index) {
    const SyncNode& node = graph_.nodes[index];
    SyncBox& box = layout_.nodes.emplace_back();
    box.lines = {node.stages == 1 ? node.name : base::say(node.name, " x", node.stages, " stages")};
    for (const auto& line : wrapped(node.counts)) box.lines.push_back(line);
    in_gap_.push_back(gap_for(index));
    Gap& gap = gaps_[in_gap_.back()];
    gap.box = std::max(gap.box, widest(box.lines) + 2 * padding);
    for (const auto& edge : graph_.edges) {
      if (edge.node != index) continue;
      double& room = edge.role < in_gap_.back() ? gap.left : gap.right;
      room = std::max(room, widest(edge.lines) + arrow_room);
    }
  }

  void place_roles() {
    double x = margin;
    for (std::size_t i = 0; i < layout_.roles.size(); ++i) {
      SyncBox& box = layout_.roles[i];
      box.top = header;
      if (i == 0) {
        box.left = x;
      } else {
        const SyncBox& before = layout_.roles[i - 1];
        const double apart = std::max(gaps_[i].width(), (before.width + box.width) / 2 + margin);
        box.left = before.middle() + apart - box.width / 2;
      }
    }
    double height = 0;
    for (const auto& box : layout_.roles) height = std::max(height, height_of(box.lines));
    for (auto& box : layout_.roles) {
      box.height = height + padding;
      layout_.width = std::max(layout_.width, box.left + box.width + margin);
    }
    if (!layout_.roles.empty())
      layout_.width =
          std::max(layout_.width, layout_.roles.back().middle() + gaps_.back().width() + margin);
  }

  double bottom_of_roles() const {
    return layout_.roles.empty() ? header : layout_.roles.front().bottom();
  }

  double place_band(std::size_t index, double top) {
    SyncBox& box = layout_.nodes[index];
    const std::size_t in = in_gap_[index];
    const Gap& gap = gaps_[in];
    box.left = layout_.roles.empty() ? margin : layout_.roles[in - 1].middle() + gap.left;
    box.top = top;
    box.width = gap.box;
    double left = top, right = top;
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      const SyncEdge& edge = graph_.edges[i];
      if (edge.node != index) continue;
      const bool from_left = edge.role < in;
      double& y = from_left ? left : right;
      y += height_of(edge.lines) + 8;
      layout_.edges[i] = {.role = layout_.roles[edge.role].middle(),
                          .barrier = from_left ? box.left : box.left + box.width,
                          .y = y - 4,
                          .from_left = from_left};
    }
    box.height = std::max({left - top + 4, right - top + 4, height_of(box.lines) + padding});
    return box.bottom() + between_bands;
  }

  const SyncGraph& graph_;
  std::vector<Gap> gaps_;
  std::vector<std::size_t> in_gap_;
  SyncLayout layout_;
};

}  // namespace

SyncLayout lay_out(const SyncGraph& graph, std::size_t title) {
  return Arrangement(graph).made(title);
}

}  // namespace aisp::lab
