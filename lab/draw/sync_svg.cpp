#include <fmt/format.h>

#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/draw/sync_layout.hpp"
#include "lab/draw/sync_picture.hpp"
#include "lab/report/svg.hpp"

namespace aisp::lab {
namespace {

constexpr const char* sync_style = R"(<style>
text { font: 12px ui-monospace, Menlo, Consolas, monospace; fill: #1f2328; }
.title { font-weight: bold; font-size: 14px; }
.faint { fill: #59636e; }
.who { font-weight: bold; }
.role { fill: #ddf4ff; stroke: #3b7dd8; }
.life { stroke: #b6c2cf; stroke-dasharray: 2 4; }
.barrier { fill: #fff8e5; stroke: #9a6700; }
.signal { stroke: #1a4f9c; fill: #1a4f9c; }
.asynchronous { stroke: #c2410c; fill: #c2410c; }
.wait { stroke: #1a7f37; fill: #1a7f37; }
.meet { stroke: #6e7781; fill: #6e7781; }
line.asynchronous { stroke-dasharray: 6 3; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; }
  .faint { fill: #9198a1; }
  .role { fill: #0c2d4d; stroke: #4493f8; }
  .life { stroke: #3d444d; }
  .barrier { fill: #3b2a04; stroke: #d4a72c; }
  .signal { stroke: #8ec2ff; fill: #8ec2ff; }
  .asynchronous { stroke: #ff9b5e; fill: #ff9b5e; }
  .wait { stroke: #57c477; fill: #57c477; }
  .meet { stroke: #9198a1; fill: #9198a1; }
}
</style>
)";

constexpr const char* class_of(SyncArrow arrow) {
  switch (arrow) {
    case SyncArrow::signal:
      return "signal";
    case SyncArrow::asynchronous:
      return "asynchronous";
    case SyncArrow::wait:
      return "wait";
    case SyncArrow::meet:
      break;
  }
  return "meet";
}

std::string hint(const std::vector<std::string>& lines) {
  return lines.empty() ? "" : "<title>" + svg::escaped(base::join(lines, "; ")) + "</title>\n";
}

// Points to the left or to the right.
std::string head(double x, double y, bool to_right, const char* kind) {
  const double back = to_right ? x - 8 : x + 8;
  return fmt::format("<path d=\"M{:.1f} {:.1f} L{:.1f} {:.1f} L{:.1f} {:.1f} Z\" class=\"{}\"/>\n",
                     x, y, back, y - 4, back, y + 4, kind);
}

std::string box(const SyncBox& box, const char* kind, double corner,
                const std::vector<std::string>& about) {
  std::string text = "<g>" + hint(about);
  text += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{:.0f}\" "
      "class=\"{}\"/>\n",
      box.left, box.top, box.width, box.height, corner, kind);
  double y = box.top + sync_line_height;
  for (std::size_t i = 0; i < box.lines.size(); ++i, y += sync_line_height)
    text += svg::label(box.middle(), y,
                       i == 0 ? "class=\"who\" text-anchor=\"middle\"" : "text-anchor=\"middle\"",
                       box.lines[i]);
  return text + "</g>\n";
}

std::string arrow(const SyncEdge& edge, const SyncArrowPlace& at) {
  const char* const kind = class_of(edge.arrow);
  std::string text = "<g>" + hint(edge.places);
  text += svg::line(at.role, at.y, at.barrier, at.y, fmt::format("class=\"{}\"", kind));
  if (edge.arrow != SyncArrow::wait) text += head(at.barrier, at.y, at.from_left, kind);
  if (edge.arrow == SyncArrow::wait || edge.arrow == SyncArrow::meet)
    text += head(at.role, at.y, !at.from_left, kind);
  double y = at.y - 5 - sync_line_height * static_cast<double>(edge.lines.size() - 1);
  for (const auto& line : edge.lines) {
    text += at.from_left ? svg::label(at.barrier - 14, y, "text-anchor=\"end\"", line)
                         : svg::label(at.barrier + 14, y, "text-anchor=\"start\"", line);
    y += sync_line_height;
  }
  return text + "</g>\n";
}

}  // namespace

std::string to_svg(const SyncGraph& graph) {
  std::string about = graph.extents + "; counts of one block";
  for (const auto& note : graph.notes) about += "; " + note;
  const std::string legend =
      "blue: arrives itself; orange, dashed: what it has issued arrives; green: waits; grey: both";
  constexpr double title_size = 14.0 / 12.0;
  const auto title =
      std::max({static_cast<std::size_t>(title_size * static_cast<double>(graph.kernel.size())) + 1,
                about.size(), legend.size()});
  const SyncLayout layout = lay_out(graph, title);
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" "
      "role=\"img\" aria-label=\"{}\">\n",
      layout.width, layout.height, layout.width, svg::escaped(graph.kernel));
  text += "<title>" + svg::escaped(graph.kernel) + "</title>\n" + sync_style;
  text += svg::label(16, 24, "class=\"title\"", graph.kernel);
  text += svg::label(16, 44, "class=\"faint\"", about);
  const double end = layout.height - 2 * sync_line_height;
  for (const auto& role : layout.roles)
    text += svg::line(role.middle(), role.bottom(), role.middle(), end, "class=\"life\"");
  for (std::size_t i = 0; i < layout.roles.size(); ++i)
    text += box(layout.roles[i], "role", 0, graph.roles[i].also);
  for (std::size_t i = 0; i < layout.nodes.size(); ++i)
    text += box(layout.nodes[i], "barrier", 8, graph.nodes[i].places);
  for (std::size_t i = 0; i < layout.edges.size(); ++i)
    text += arrow(graph.edges[i], layout.edges[i]);
  return text + svg::label(16, layout.height - 12, "class=\"faint\"", legend) + "</svg>\n";
}

}  // namespace aisp::lab
