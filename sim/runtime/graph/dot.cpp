#include "sim/runtime/graph/dot.hpp"

#include <sstream>
#include <string>

#include "sim/runtime/module/module.hpp"

namespace aisp::sim {
namespace {

std::string dims(const Dim3& size) {
  std::ostringstream text;
  text << size.x << 'x' << size.y << 'x' << size.z;
  return text.str();
}

struct Label {
  bool verbose;

  std::string operator()(const std::monostate&) const { return "EMPTY"; }
  std::string operator()(const KernelCall& call) const {
    std::ostringstream text;
    text << "KERNEL\\n" << call.kernel->name;
    if (verbose)
      text << "\\n"
           << dims(call.config.grid) << " blocks of " << dims(call.config.block) << "\\nshared "
           << call.config.dynamic_shared;
    return text.str();
  }
  std::string operator()(const CopyCall& call) const {
    return "MEMCPY\\n" + std::to_string(call.bytes()) + " bytes";
  }
  std::string operator()(const FillCall& call) const {
    return "MEMSET\\n" + std::to_string(call.bytes()) + " bytes of " + std::to_string(call.value);
  }
  std::string operator()(const HostCall&) const { return "HOST"; }
  std::string operator()(const AllocateCall& call) const {
    return "MEM_ALLOC\\n" + std::to_string(call.bytes) + " bytes";
  }
  std::string operator()(const ReleaseCall&) const { return "MEM_FREE"; }
  std::string operator()(const ChildGraph&) const { return "GRAPH"; }
  std::string operator()(const EventRecord&) const { return "EVENT_RECORD"; }
  std::string operator()(const EventWait&) const { return "EVENT_WAIT"; }
  std::string operator()(const Conditional& node) const {
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
    for (const Edge& edge : node->after)
      out << "  node_" << node->serial << " -> node_" << edge.node->serial << ";\n";
    int number = 0;
    for (const Graph* inner : inner_graphs(*node)) {
      out << "  subgraph cluster_" << node->serial << '_' << number << " {\n";
      if (std::holds_alternative<Conditional>(node->work))
        out << "  label=\"body " << number << "\";\n";
      print(*inner, out, verbose);
      out << "  }\n";
      ++number;
    }
  }
}

}  // namespace

void print_dot(const Graph& graph, std::ostream& out, bool verbose) {
  out << "digraph dot {\n";
  print(graph, out, verbose);
  out << "}\n";
}

}  // namespace aisp::sim
