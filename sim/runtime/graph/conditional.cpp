#include "sim/runtime/graph/conditional.hpp"

#include <algorithm>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

// In the graph itself, or in one that it is part of.
bool reaches(const Graph* graph, const Graph* wanted) {
  while (graph != wanted) {
    if (graph->parent == nullptr) return false;
    graph = graph->parent->graph;
  }
  return true;
}

bool uses(const Graph& graph, const Condition& condition) {
  return any_node(graph, [&](const GraphNode& node) {
    const auto* conditional = std::get_if<Conditional>(&node.work);
    return conditional != nullptr && conditional->condition.get() == &condition;
  });
}

bool allowed_in_body(const GraphNode& node) {
  return std::holds_alternative<std::monostate>(node.work) ||
         std::holds_alternative<KernelCall>(node.work) ||
         std::holds_alternative<CopyCall>(node.work) ||
         std::holds_alternative<FillCall>(node.work) || !inner_graphs(node).empty();
}

}  // namespace

Conditional conditional_work(const cudaConditionalNodeParams& parameters, const Graph& graph) {
  Conditional node;
  node.condition = find_condition(parameters.handle);
  require(node.condition != nullptr && reaches(&graph, node.condition->graph));
  node.type = parameters.type;
  const unsigned most = node.type == cudaGraphCondTypeIf ? 2 : 1;
  require(node.type == cudaGraphCondTypeIf || node.type == cudaGraphCondTypeWhile ||
          node.type == cudaGraphCondTypeSwitch);
  require(parameters.size >= 1 &&
          (node.type == cudaGraphCondTypeSwitch || parameters.size <= most));
  for (unsigned i = 0; i < parameters.size; ++i) {
    node.bodies.push_back(std::make_shared<Graph>());
    node.handles.push_back(handle_of(*node.bodies.back()));
  }
  return node;
}

const Graph* chosen_body(const Conditional& node) {
  const std::uint32_t value = node.condition->value;
  std::size_t index = value;
  if (node.type == cudaGraphCondTypeIf) index = value != 0 ? 0 : 1;
  if (node.type == cudaGraphCondTypeWhile) index = value != 0 ? 0 : node.bodies.size();
  return index < node.bodies.size() ? node.bodies[index].get() : nullptr;
}

bool holds_conditional_nodes(const Graph& graph) {
  return any_node(
      graph, [](const GraphNode& node) { return std::holds_alternative<Conditional>(node.work); });
}

bool holds_unused_conditions(const Graph& graph) {
  const auto unused = [](const Graph& owner) {
    return std::any_of(owner.conditions.begin(), owner.conditions.end(),
                       [&](const auto& condition) { return !uses(owner, *condition); });
  };
  return unused(graph) || any_node(graph, [&](const GraphNode& node) {
           const auto inner = inner_graphs(node);
           return std::any_of(inner.begin(), inner.end(),
                              [&](const Graph* body) { return unused(*body); });
         });
}

void require_allowed_bodies(const Graph& graph) {
  const bool refused = any_node(graph, [](const GraphNode& node) {
    const auto* conditional = std::get_if<Conditional>(&node.work);
    if (conditional == nullptr) return false;
    return std::any_of(
        conditional->bodies.begin(), conditional->bodies.end(), [](const auto& body) {
          return any_node(*body, [](const GraphNode& inner) { return !allowed_in_body(inner); });
        });
  });
  if (!refused) return;
  Runtime::get().note_once(
      "the body of a conditional graph node may hold kernels, copies, memsets, child graphs and "
      "conditional nodes, nothing else");
  throw ApiError{cudaErrorInvalidValue};
}

}  // namespace aisp::sim
