// cudaGraphExecUpdate: another graph of the same shape gives its parameters to an executable one.
#include <algorithm>

#include "sim/runtime/graph/exec.hpp"
#include "sim/runtime/graph/work.hpp"

namespace aisp::sim {
namespace {

using Info = cudaGraphExecUpdateResultInfo;

struct Pair {
  GraphNode* from = nullptr;  // of the graph
  GraphNode* to = nullptr;    // of the executable
};

Info failed(cudaGraphExecUpdateResult result, GraphNode* node) {
  return {result, node != nullptr ? handle_of(*node) : nullptr, nullptr};
}

// Positions in `order` of what a node comes after, sorted.
std::vector<std::size_t> positions(const GraphNode& node, const std::vector<GraphNode*>& order) {
  std::vector<std::size_t> found;
  for (const Edge& edge : node.before)
    found.push_back(
        static_cast<std::size_t>(std::find(order.begin(), order.end(), edge.node) - order.begin()));
  std::sort(found.begin(), found.end());
  return found;
}

bool same_kind_of_condition(const GraphNode& node, const GraphNode& own) {
  const auto* from = std::get_if<Conditional>(&node.work);
  if (from == nullptr) return true;
  const auto& to = std::get<Conditional>(own.work);
  return from->type == to.type && from->bodies.size() == to.bodies.size();
}

// The values that the other graph's kernels set are those that count from now on; bodies stay.
void take_condition(GraphNode& node, const Conditional& from) {
  auto& own = std::get<Conditional>(node.work);
  own.condition = from.condition;
  for (std::size_t i = 0; i < own.bodies.size(); ++i)
    own.bodies[i]->conditions = from.bodies[i]->conditions;
}

// Pairs the nodes of two graphs by their places in a dependency order.
Info match(Graph& from, Graph& to, std::vector<Pair>& pairs) {
  const auto theirs = ordered(from), ours = ordered(to);
  if (theirs.size() != ours.size()) return failed(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (positions(*theirs[i], theirs) != positions(*ours[i], ours))
      return failed(cudaGraphExecUpdateErrorTopologyChanged, theirs[i]);
  for (std::size_t i = theirs.size(); i-- > 0;) {  // of several the last is named, as on an H200
    GraphNode &node = *theirs[i], &own = *ours[i];
    if (node.work.index() != own.work.index())
      return failed(cudaGraphExecUpdateErrorNodeTypeChanged, &node);
    if (!same_kind_of_condition(node, own))
      return failed(cudaGraphExecUpdateErrorNotSupported, &node);
    const auto inner = inner_graphs(node), own_inner = inner_graphs(own);
    for (std::size_t j = 0; j < inner.size(); ++j) {
      const Info info = match(*inner[j], *own_inner[j], pairs);
      if (info.result != cudaGraphExecUpdateSuccess) return info;
    }
    if (std::holds_alternative<ChildGraph>(node.work)) continue;
    if (std::holds_alternative<AllocateCall>(node.work))
      return failed(cudaGraphExecUpdateErrorNotSupported, &node);
    if (!updatable(own.work, node.work))
      return failed(cudaGraphExecUpdateErrorParametersChanged, &node);
    pairs.push_back({&node, &own});
  }
  return {cudaGraphExecUpdateSuccess, nullptr, nullptr};
}

}  // namespace

cudaGraphExecUpdateResultInfo update(GraphExec& exec, Graph& graph) {
  std::vector<Pair> pairs;
  const Info info = match(graph, *exec.graph, pairs);
  if (info.result != cudaGraphExecUpdateSuccess) return info;
  exec.graph->conditions = graph.conditions;
  for (const Pair& pair : pairs) {
    if (const auto* conditional = std::get_if<Conditional>(&pair.from->work)) {
      take_condition(*pair.to, *conditional);
      continue;
    }
    pair.to->work = pair.from->work;
    pair.to->symbol = pair.from->symbol;
  }
  return info;
}

}  // namespace aisp::sim
