// cudaGraphExecUpdate: another graph of the same shape gives its parameters to an executable one.
#include <algorithm>

#include "sim/cudart/graph_exec.hpp"
#include "sim/cudart/graph_work.hpp"

namespace sim {
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

// Pairs the nodes of two graphs by their places in a dependency order.
Info match(Graph& from, Graph& to, std::vector<Pair>& pairs) {
  const auto theirs = ordered(from), ours = ordered(to);
  if (theirs.size() != ours.size()) return failed(cudaGraphExecUpdateErrorTopologyChanged, nullptr);
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    GraphNode &node = *theirs[i], &own = *ours[i];
    if (positions(node, theirs) != positions(own, ours))
      return failed(cudaGraphExecUpdateErrorTopologyChanged, &node);
    if (node.work.index() != own.work.index())
      return failed(cudaGraphExecUpdateErrorNodeTypeChanged, &node);
    if (auto* child = std::get_if<ChildGraph>(&node.work)) {
      const Info inner = match(*child->graph, *std::get<ChildGraph>(own.work).graph, pairs);
      if (inner.result != cudaGraphExecUpdateSuccess) return inner;
      continue;
    }
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
  if (info.result == cudaGraphExecUpdateSuccess)
    for (const Pair& pair : pairs) {
      pair.to->work = pair.from->work;
      pair.to->symbol = pair.from->symbol;
    }
  return info;
}

}  // namespace sim

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* info) {
  return sim::graph_api([&] {
    const auto result = sim::update(sim::exec_of(exec), sim::graph_of(graph));
    if (info != nullptr) *info = result;
    sim::require(result.result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
  });
}
