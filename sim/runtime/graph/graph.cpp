#include "sim/runtime/graph/graph.hpp"

#include <algorithm>
#include <set>

#include "sim/runtime/memory/graph_memory.hpp"
#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {
namespace {

std::uint64_t next_serial = 1;

std::set<const void*>& live_graphs() {
  static auto* const all = new std::set<const void*>;
  return *all;
}
std::set<const void*>& live_nodes() {
  static auto* const all = new std::set<const void*>;
  return *all;
}
std::set<std::shared_ptr<Graph>>& published() {
  static auto* const all = new std::set<std::shared_ptr<Graph>>;
  return *all;
}

const Graph& root_of(const Graph& graph) {
  const Graph* root = &graph;
  while (root->parent != nullptr) root = root->parent->graph;
  return *root;
}

std::vector<Edge>::iterator find_edge(std::vector<Edge>& edges, const GraphNode& node) {
  return std::find_if(edges.begin(), edges.end(),
                      [&](const Edge& edge) { return edge.node == &node; });
}

}  // namespace

Graph::Graph() {
  const std::lock_guard lock(Runtime::get().mutex);
  live_graphs().insert(this);
}

Graph::~Graph() {
  const std::lock_guard lock(Runtime::get().mutex);
  for (const auto& node : nodes) live_nodes().erase(node.get());
  live_graphs().erase(this);
  for (const auto& [object, count] : user_objects) release_user_object(object, count);
}

GraphNode& Graph::add(NodeWork work, std::span<GraphNode* const> before) {
  auto node = std::make_unique<GraphNode>();
  node->graph = this;
  node->serial = next_serial++;
  node->work = std::move(work);
  for (Graph* inner : inner_graphs(*node)) inner->parent = node.get();
  if (const auto* call = std::get_if<AllocateCall>(&node->work))
    node->memory = hold_graph_memory(call->memory);
  if (const auto* call = std::get_if<ReleaseCall>(&node->work))
    node->memory = hold_graph_memory(call->memory);
  GraphNode& added = *node;
  nodes.push_back(std::move(node));
  live_nodes().insert(&added);
  for (GraphNode* from : before) connect(*from, added, {});
  return added;
}

void Graph::connect(GraphNode& from, GraphNode& to, const cudaGraphEdgeData& data) {
  require(from.graph == this && to.graph == this && &from != &to);
  require(find_edge(from.after, to) == from.after.end());
  from.after.push_back({&to, data});
  to.before.push_back({&from, data});
}

void Graph::disconnect(GraphNode& from, GraphNode& to) {
  const auto edge = find_edge(from.after, to);
  require(edge != from.after.end());
  from.after.erase(edge);
  to.before.erase(find_edge(to.before, from));
}

void Graph::erase(GraphNode& node) {
  while (!node.before.empty()) disconnect(*node.before.back().node, node);
  while (!node.after.empty()) disconnect(node, *node.after.back().node);
  live_nodes().erase(&node);
  std::erase_if(nodes, [&](const auto& own) { return own.get() == &node; });
}

GraphNode* Graph::add_captured(CapturedWork work, std::span<GraphNode* const> before) {
  if (const auto* call = std::get_if<ReleaseCall>(&work)) plan_release(*this, call->memory);
  return std::visit([&](auto& call) { return &add(NodeWork(std::move(call)), before); }, work);
}

bool Graph::lead_to(std::span<GraphNode* const> nodes, std::span<GraphNode* const> ends) const {
  std::set<const GraphNode*> seen;
  std::vector<const GraphNode*> open(ends.begin(), ends.end());
  while (!open.empty()) {
    const GraphNode* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    for (const Edge& edge : node->before) open.push_back(edge.node);
  }
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](const GraphNode* node) { return seen.contains(node); });
}

Graph& graph_of(cudaGraph_t handle) {
  require(live_graphs().contains(handle));
  return *reinterpret_cast<Graph*>(handle);
}

GraphNode& node_of(cudaGraphNode_t handle) {
  require(live_nodes().contains(handle));
  return *reinterpret_cast<GraphNode*>(handle);
}

std::shared_ptr<Graph> share_graph(cudaGraph_t handle) {
  return graph_of(handle).shared_from_this();
}

cudaGraph_t publish_graph(std::shared_ptr<Graph> graph) {
  published().insert(graph);
  return handle_of(*graph);
}

void unpublish_graph(Graph& graph) { require(published().erase(graph.shared_from_this()) == 1); }

std::shared_ptr<Graph> clone_graph(const Graph& graph, CopiesByOrigin* copies) {
  auto clone = std::make_shared<Graph>();
  clone->conditions = graph.conditions;
  clone->user_objects = graph.user_objects;
  for (const auto& [object, count] : clone->user_objects) retain_user_object(object, count);
  std::unordered_map<const GraphNode*, GraphNode*> copy_of;
  for (const auto& node : graph.nodes) {
    NodeWork work = node->work;
    if (auto* child = std::get_if<ChildGraph>(&work))
      child->graph = clone_graph(*child->graph, copies);
    if (auto* conditional = std::get_if<Conditional>(&work))
      for (std::size_t i = 0; i < conditional->bodies.size(); ++i) {
        conditional->bodies[i] = clone_graph(*conditional->bodies[i], copies);
        conditional->handles[i] = handle_of(*conditional->bodies[i]);
      }
    GraphNode& copy = clone->add(std::monostate{}, {});
    copy.work = std::move(work);
    for (Graph* inner : inner_graphs(copy)) inner->parent = &copy;
    copy.origin = node->serial;
    copy.enabled = node->enabled;
    copy.symbol = node->symbol;
    copy.memory = node->memory;
    copy_of[node.get()] = &copy;
    if (copies != nullptr) (*copies)[node->serial] = &copy;
  }
  for (const auto& node : graph.nodes)
    for (const Edge& edge : node->before)
      clone->connect(*copy_of[edge.node], *copy_of[node.get()], edge.data);
  return clone;
}

std::vector<GraphNode*> ordered(const Graph& graph) {
  std::unordered_map<const GraphNode*, std::size_t> missing;
  std::vector<GraphNode*> order;
  for (const auto& node : graph.nodes) {
    missing[node.get()] = node->before.size();
    if (node->before.empty()) order.push_back(node.get());
  }
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const Edge& edge : order[i]->after)
      if (--missing[edge.node] == 0) order.push_back(edge.node);
  require(order.size() == graph.nodes.size());
  return order;
}

cudaGraphNodeType type_of(const NodeWork& work) {
  static constexpr cudaGraphNodeType types[] = {
      cudaGraphNodeTypeEmpty,     cudaGraphNodeTypeKernel,     cudaGraphNodeTypeMemcpy,
      cudaGraphNodeTypeMemset,    cudaGraphNodeTypeHost,       cudaGraphNodeTypeMemAlloc,
      cudaGraphNodeTypeMemFree,   cudaGraphNodeTypeGraph,      cudaGraphNodeTypeEventRecord,
      cudaGraphNodeTypeWaitEvent, cudaGraphNodeTypeConditional};
  static_assert(std::size(types) == std::variant_size_v<NodeWork>);
  return types[work.index()];
}

std::vector<Graph*> inner_graphs(const GraphNode& node) {
  if (const auto* child = std::get_if<ChildGraph>(&node.work)) return {child->graph.get()};
  std::vector<Graph*> bodies;
  if (const auto* conditional = std::get_if<Conditional>(&node.work))
    for (const auto& body : conditional->bodies) bodies.push_back(body.get());
  return bodies;
}

bool owns_memory(const Graph& graph, const void* memory) {
  return any_node(root_of(graph), [&](const GraphNode& node) {
    const auto* made = std::get_if<AllocateCall>(&node.work);
    return made != nullptr && made->memory == memory;
  });
}

void plan_release(const Graph& graph, void* memory) {
  require(!any_node(root_of(graph), [&](const GraphNode& node) {
    const auto* freed = std::get_if<ReleaseCall>(&node.work);
    return freed != nullptr && freed->memory == memory;
  }));
  plan_free(memory, owns_memory(graph, memory));
}

bool holds_memory_nodes(const Graph& graph) {
  return any_node(graph, [](const GraphNode& node) {
    return std::holds_alternative<AllocateCall>(node.work) ||
           std::holds_alternative<ReleaseCall>(node.work);
  });
}

void require_edge(const cudaGraphEdgeData& edge) {
  require(edge.to_port == 0 && edge.from_port <= cudaGraphKernelNodePortLaunchCompletion &&
          edge.type <= cudaGraphDependencyTypeProgrammatic);
}

}  // namespace aisp::sim
