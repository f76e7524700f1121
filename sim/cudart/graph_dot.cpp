// cudaGraphDebugDotPrint: a graph in the DOT language, one box per node.
#include <fstream>
#include <sstream>

#include "sim/cudart/graph_condition.hpp"
#include "sim/cudart/module.hpp"

namespace {

using sim::Graph;

std::string dims(const sim::Dim3& size) {
  std::ostringstream text;
  text << size.x << 'x' << size.y << 'x' << size.z;
  return text.str();
}

struct Label {
  bool verbose;

  std::string operator()(const std::monostate&) const { return "EMPTY"; }
  std::string operator()(const sim::KernelCall& call) const {
    std::ostringstream text;
    text << "KERNEL\\n" << call.kernel->name;
    if (verbose)
      text << "\\n"
           << dims(call.config.grid) << " blocks of " << dims(call.config.block) << "\\nshared "
           << call.config.dynamic_shared;
    return text.str();
  }
  std::string operator()(const sim::CopyCall& call) const {
    return "MEMCPY\\n" + std::to_string(call.bytes()) + " bytes";
  }
  std::string operator()(const sim::FillCall& call) const {
    return "MEMSET\\n" + std::to_string(call.bytes()) + " bytes of " + std::to_string(call.value);
  }
  std::string operator()(const sim::HostCall&) const { return "HOST"; }
  std::string operator()(const sim::AllocateCall& call) const {
    return "MEM_ALLOC\\n" + std::to_string(call.bytes) + " bytes";
  }
  std::string operator()(const sim::ReleaseCall&) const { return "MEM_FREE"; }
  std::string operator()(const sim::ChildGraph&) const { return "GRAPH"; }
  std::string operator()(const sim::EventRecord&) const { return "EVENT_RECORD"; }
  std::string operator()(const sim::EventWait&) const { return "EVENT_WAIT"; }
  std::string operator()(const sim::Conditional& node) const {
    const char* type = node.type == cudaGraphCondTypeIf      ? "IF"
                       : node.type == cudaGraphCondTypeWhile ? "WHILE"
                                                             : "SWITCH";
    return "CONDITIONAL\\n" + std::string(type) +
           (verbose ? "\\nhandle " + std::to_string(node.condition->handle) : "");
  }
};

void print(const Graph& graph, std::ostream& out, bool verbose) {
  for (const auto& node : graph.nodes) {
    out << "  node_" << node->serial << " [shape=box, label=\""
        << std::visit(Label{verbose}, node->work) << "\"];\n";
    for (const sim::Edge& edge : node->after)
      out << "  node_" << node->serial << " -> node_" << edge.node->serial << ";\n";
    int number = 0;
    for (const Graph* inner : sim::inner_graphs(*node)) {
      out << "  subgraph cluster_" << node->serial << '_' << number << " {\n";
      if (std::holds_alternative<sim::Conditional>(node->work))
        out << "  label=\"body " << number << "\";\n";
      print(*inner, out, verbose);
      out << "  }\n";
      ++number;
    }
  }
}

}  // namespace

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned flags) {
  return sim::graph_api([&] {
    sim::require(path != nullptr);
    const Graph& graph = sim::graph_of(handle);
    std::ofstream out(path);
    sim::require(out.is_open(), cudaErrorOperatingSystem);
    out << "digraph dot {\n";
    print(graph, out, flags != 0);
    out << "}\n";
  });
}
