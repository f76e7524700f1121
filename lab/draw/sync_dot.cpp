#include <algorithm>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/draw/sync_picture.hpp"

namespace aisp::lab {
namespace {

using base::say;

// Within quotes; lines become \n, which Graphviz centres.
std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    if (c == '\n')
      safe += "\\n";
    else
      safe += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return safe + "\"";
}

std::string tooltip(const std::vector<std::string>& lines) {
  return lines.empty() ? "" : ", tooltip=" + quoted(base::join(lines, "\n"));
}

std::string lines_of(std::vector<std::string> lines) {
  std::erase(lines, "");
  return quoted(base::join(lines, "\n"));
}

std::string node_name(const SyncNode& node) {
  return node.stages == 1 ? node.name : say(node.name, " x", node.stages, " stages");
}

}  // namespace

std::string to_dot(const SyncGraph& graph) {
  std::vector<std::string> title{graph.kernel, graph.extents + "; counts of one block"};
  title.insert(title.end(), graph.notes.begin(), graph.notes.end());
  std::string text = say("digraph sync {\n  rankdir=LR;\n  label=", lines_of(title),
                         ";\n  labelloc=t;\n  node [fontname=\"monospace\"];\n"
                         "  edge [fontname=\"monospace\"];\n");
  for (std::size_t i = 0; i < graph.roles.size(); ++i) {
    const SyncRole& role = graph.roles[i];
    text += say("  role", i, " [shape=box, style=bold, label=", lines_of({role.who, role.work}),
                tooltip(role.also), "];\n");
  }
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const SyncNode& node = graph.nodes[i];
    text += say("  barrier", i,
                " [shape=", node.object == SyncObject::mbarrier ? "box, style=rounded" : "hexagon",
                ", label=", lines_of({node_name(node), node.counts}), tooltip(node.places), "];\n");
  }
  for (const auto& edge : graph.edges) {
    const std::string role = say("role", edge.role), node = say("barrier", edge.node);
    text += edge.arrow == SyncArrow::wait ? say("  ", node, " -> ", role)
                                          : say("  ", role, " -> ", node);
    text += say(" [label=", lines_of(edge.lines), tooltip(edge.places),
                edge.arrow == SyncArrow::asynchronous ? ", style=dashed"
                : edge.arrow == SyncArrow::meet       ? ", dir=both"
                                                      : "",
                "];\n");
  }
  return text + "}\n";
}

}  // namespace aisp::lab
