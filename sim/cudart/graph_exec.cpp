// Instantiating and launching graphs.
#include "sim/cudart/graph_exec.hpp"

#include <algorithm>
#include <map>

#include "sim/cudart/capture.hpp"
#include "sim/cudart/graph_condition.hpp"
#include "sim/cudart/graph_launch.hpp"

namespace sim {
namespace {

constexpr unsigned long long known_flags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
    cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

std::map<const void*, std::unique_ptr<GraphExec>>& executables() {
  static auto* const all = new std::map<const void*, std::unique_ptr<GraphExec>>;
  return *all;
}

// Memory nodes: what the last launch allocated must have been freed, by the graph or by the
// program.
void check_memory(const GraphExec& exec) {
  for (const auto& node : exec.graph->nodes) {
    const auto* call = std::get_if<AllocateCall>(&node->work);
    if (call == nullptr) continue;
    const bool lives = allocation_lives(*node);
    const bool freed =
        std::any_of(exec.graph->nodes.begin(), exec.graph->nodes.end(), [&](const auto& other) {
          const auto* release = std::get_if<ReleaseCall>(&other->work);
          return release != nullptr && release->memory == call->memory;
        });
    if (!lives) {
      Runtime::get().note_once(
          "a graph whose memory the program has freed cannot be launched again");
      throw ApiError{cudaErrorNotSupported};
    }
    require(freed || !exec.launched ||
            (exec.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0);
  }
}

void launch_graph(GraphExec& exec, Stream& stream) {
  require_no_implicit_capture(stream);
  if (stream.capture) {
    require(!holds_memory_nodes(*exec.graph) && !holds_conditional_nodes(*exec.graph),
            cudaErrorNotSupported);
    return capture_work(stream, ChildGraph{clone_graph(*exec.graph)});
  }
  check_memory(exec);
  const MarkPtr start = Streams::get().enqueue(stream, Job{.run = nullptr, .after = {exec.last}});
  // What runs keeps its memory when the executable is destroyed meanwhile.
  const auto keep = [graph = exec.graph](double) { return TaskResult{}; };
  exec.last = Streams::get().enqueue(
      stream,
      Job{.run = keep, .even_if_lost = true, .after = launch_nodes(*exec.graph, stream, start)});
  exec.launched = true;
}

// Neither the graph nor one inside it has a cycle.
void require_order(const Graph& graph) {
  ordered(graph);
  for (const auto& node : graph.nodes)
    for (const Graph* inner : inner_graphs(*node)) require_order(*inner);
}

cudaGraphExec_t instantiate(cudaGraph_t handle, unsigned long long flags) {
  require((flags & ~known_flags) == 0);
  Graph& graph = graph_of(handle);
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

}  // namespace

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

}  // namespace sim

using sim::exec_of;
using sim::graph_api;
using sim::require;
using sim::Streams;

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  return graph_api([&] {
    require(exec != nullptr);
    require(sim::forbid_during_capture());
    *exec = sim::instantiate(graph, flags);
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* parameters) {
  if (parameters == nullptr) return sim::record_error(cudaErrorInvalidValue);
  parameters->errNode_out = nullptr;
  const cudaError_t error = cudaGraphInstantiate(exec, graph, parameters->flags);
  const auto unused = [&] {
    bool found = false;
    sim::graph_api([&] { found = sim::holds_unused_conditions(sim::graph_of(graph)); });
    return found;
  };
  parameters->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess
                           : unused()           ? cudaGraphInstantiateConditionalHandleUnused
                           : error == cudaErrorNotSupported
                               ? cudaGraphInstantiateNodeOperationNotSupported
                               : cudaGraphInstantiateInvalidStructure;
  return error;
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long* flags) {
  return graph_api([&] {
    require(flags != nullptr);
    *flags = exec_of(exec).flags;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  return graph_api([&] {
    sim::require_permitted();
    sim::launch_graph(exec_of(exec), Streams::get().find(stream));
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  return graph_api([&] {
    exec_of(exec);
    sim::require_not_capturing(Streams::get().find(stream));
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t handle) {
  return graph_api([&] {
    require(sim::forbid_during_capture());
    sim::GraphExec& exec = exec_of(handle);
    --exec.source->executables;
    sim::executables().erase(&exec);
  });
}
