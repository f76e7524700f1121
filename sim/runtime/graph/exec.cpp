#include "sim/runtime/graph/exec.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "sim/runtime/graph/captured_graph.hpp"
#include "sim/runtime/graph/conditional.hpp"
#include "sim/runtime/graph/launch_nodes.hpp"
#include "sim/runtime/graph/work.hpp"
#include "sim/runtime/memory/graph_memory.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/stream/streams.hpp"

namespace aisp::sim {
namespace {

constexpr unsigned long long known_flags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
    cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

std::map<const void*, std::unique_ptr<GraphExec>>& executables() {
  static auto* const all = new std::map<const void*, std::unique_ptr<GraphExec>>;
  return *all;
}

// Memory nodes: what the last launch allocated must have been freed, by the graph or outside of it,
// and what is another graph's must be allocated.
void check_memory(const GraphExec& exec) {
  std::set<void*> allocated, freed;
  any_node(*exec.graph, [&](const GraphNode& node) {
    if (const auto* call = std::get_if<AllocateCall>(&node.work)) allocated.insert(call->memory);
    if (const auto* call = std::get_if<ReleaseCall>(&node.work)) freed.insert(call->memory);
    return false;
  });
  const bool frees_on_launch = (exec.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0;
  for (void* memory : allocated)
    require(freed.contains(memory) || !awaits_free(memory) || frees_on_launch);
  for (void* memory : freed) require(allocated.contains(memory) || awaits_free(memory));
  for (void* memory : allocated)
    if (!freed.contains(memory)) expect_free(memory);
  for (void* memory : freed) note_free(memory);
}

// Neither the graph nor one inside it has a cycle.
void require_order(const Graph& graph) {
  ordered(graph);
  for (const auto& node : graph.nodes)
    for (const Graph* inner : inner_graphs(*node)) require_order(*inner);
}

}  // namespace

void launch_graph(GraphExec& exec, Stream& stream) {
  require_no_implicit_capture(stream);
  if (stream.capture) {
    require(!holds_memory_nodes(*exec.graph) && !holds_conditional_nodes(*exec.graph),
            cudaErrorNotSupported);
    Graph& captured = captured_graph(valid_capture(stream));
    stream.frontier = {&captured.add(ChildGraph{clone_graph(*exec.graph)}, stream.frontier)};
    return;
  }
  check_memory(exec);
  const MarkPtr start = Streams::get().enqueue(stream, Job{.run = nullptr, .after = {exec.last}});
  // What runs keeps its memory when the executable is destroyed meanwhile.
  const auto keep = [graph = exec.graph](double) { return TaskResult{}; };
  exec.last = Streams::get().enqueue(
      stream,
      Job{.run = keep, .even_if_lost = true, .after = launch_nodes(*exec.graph, stream, start)});
}

cudaGraphExec_t instantiate(Graph& graph, unsigned long long flags) {
  require((flags & ~known_flags) == 0);
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
    Runtime::get().note_once("graphs that kernels launch are not supported by the simulator");
    throw ApiError{cudaErrorNotSupported};
  }
  const bool single = holds_memory_nodes(graph) || holds_conditional_nodes(graph);
  require(!single || graph.executables == 0, cudaErrorNotSupported);
  require(!holds_unused_conditions(graph));
  require_allowed_bodies(graph);
  require_order(graph);
  auto exec = std::make_unique<GraphExec>();
  exec->graph = clone_graph(graph, &exec->copies);
  exec->source = graph.shared_from_this();
  exec->flags = flags;
  ++graph.executables;
  const auto made = reinterpret_cast<cudaGraphExec_t>(exec.get());
  executables().emplace(exec.get(), std::move(exec));
  return made;
}

void destroy_exec(cudaGraphExec_t handle) {
  GraphExec& exec = exec_of(handle);
  --exec.source->executables;
  executables().erase(&exec);
}

GraphExec& exec_of(cudaGraphExec_t handle) {
  const auto found = executables().find(handle);
  require(found != executables().end());
  return *found->second;
}

GraphNode& node_in(GraphExec& exec, cudaGraphNode_t original) {
  const auto found = exec.copies.find(node_of(original).serial);
  require(found != exec.copies.end());
  return *found->second;
}

GraphNode& switchable_node_in(GraphExec& exec, cudaGraphNode_t original) {
  GraphNode& node = node_in(exec, original);
  require(std::holds_alternative<KernelCall>(node.work) ||
          std::holds_alternative<CopyCall>(node.work) ||
          std::holds_alternative<FillCall>(node.work));
  return node;
}

void change_node(GraphNode& node, NodeWork work, const void* symbol) {
  require(node.work.index() == work.index() && updatable(node.work, work));
  set_work(node, std::move(work), symbol);
}

void change_child(GraphNode& node, Graph& graph) {
  GraphExec inner;
  inner.graph = work_of<ChildGraph>(node).graph;
  require(update(inner, graph).result == cudaGraphExecUpdateSuccess);
}

}  // namespace aisp::sim
