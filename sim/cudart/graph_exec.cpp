// Instantiating and launching graphs.
#include "sim/cudart/graph_exec.hpp"

#include <algorithm>
#include <map>

#include "sim/cudart/capture.hpp"
#include "sim/cudart/event.hpp"
#include "sim/cudart/hazards.hpp"

namespace sim {
namespace {

constexpr unsigned long long known_flags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
    cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;

std::map<const void*, std::unique_ptr<GraphExec>>& executables() {
  static auto* const all = new std::map<const void*, std::unique_ptr<GraphExec>>;
  return *all;
}

int priority_of(const GraphNode& node, int otherwise) {
  const auto* call = std::get_if<KernelCall>(&node.work);
  if (call == nullptr) return otherwise;
  for (const cudaLaunchAttribute& attribute : call->attributes)
    if (attribute.id == cudaLaunchAttributePriority) return attribute.val.priority;
  return otherwise;
}

// Memory that the graph allocates stays its own until the last copy of its nodes is gone, so that
// its nodes free only what is not the graph's.
bool frees_own_memory(const Graph& graph, const ReleaseCall& call) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) {
    const auto* made = std::get_if<AllocateCall>(&node->work);
    return made != nullptr && made->memory == call.memory;
  });
}

// May the node's kernel start before the one that the edge comes from has ended? An edge of a
// captured programmatic launch does not say so itself.
bool is_programmatic(const GraphNode& node, const Edge& edge) {
  const auto* call = std::get_if<KernelCall>(&node.work);
  return call != nullptr && (edge.data.type == cudaGraphDependencyTypeProgrammatic ||
                             (call->programmatic && node.before.size() == 1));
}

class Launcher {
 public:
  explicit Launcher(const Stream& stream) : stream_(stream), priority_(stream.priority) {
    if (Hazards* hazards = Hazards::get()) number_ = hazards->next_graph();
  }

  // Submits all nodes behind `start`; the marks of those that nothing in the graph waits for.
  std::vector<MarkPtr> launch(const Graph& graph, const MarkPtr& start) {
    std::unordered_map<const GraphNode*, MarkPtr> marks;
    std::vector<MarkPtr> ends;
    for (const GraphNode* node : ordered(graph)) {
      std::vector<MarkPtr> after;
      overlaps_.clear();
      for (const Edge& edge : node->before) {
        after.push_back(marks[edge.node]);
        if (is_programmatic(*node, edge)) overlaps_.push_back(after.back());
      }
      if (after.empty()) after.push_back(start);
      const MarkPtr mark = node->enabled ? launch(*node, std::move(after)) : join(std::move(after));
      marks[node] = mark;
      if (node->after.empty()) ends.push_back(mark);
    }
    if (ends.empty()) ends.push_back(start);
    return ends;
  }

 private:
  MarkPtr join(std::vector<MarkPtr> after) {
    return Executor::get().submit(
        Job{.run = nullptr, .priority = priority_, .after = std::move(after)});
  }

  MarkPtr launch(const GraphNode& node, std::vector<MarkPtr> after) {
    if (const auto* child = std::get_if<ChildGraph>(&node.work))
      return join(launch(*child->graph, join(std::move(after))));
    if (const auto* record = std::get_if<EventRecord>(&node.work)) {
      const MarkPtr mark = join(std::move(after));
      if (Event* event = find_event(record->event)) {
        event->mark = mark;
        event->capture = nullptr;
      }
      return mark;
    }
    if (const auto* wait = std::get_if<EventWait>(&node.work)) {
      if (const Event* event = find_event(wait->event)) after.push_back(event->mark);
      return join(std::move(after));
    }
    if (const auto* release = std::get_if<ReleaseCall>(&node.work))
      if (frees_own_memory(*node.graph, *release)) {
        Job job{.run = nullptr, .priority = priority_, .after = std::move(after)};
        if (Hazards::get() != nullptr)
          job.operation = hazards::describe({.what = *release, .run = nullptr}, stream_, number_);
        return Executor::get().submit(std::move(job));
      }
    return run(node, std::move(after));
  }

  MarkPtr run(const GraphNode& node, std::vector<MarkPtr> after) {
    Task task;
    std::visit(
        [&]<class Work>(Work work) {
          if constexpr (std::is_same_v<Work, KernelCall>) work.programmatic = !overlaps_.empty();
          if constexpr (requires { make_task(work); }) task = make_task(std::move(work));
        },
        node.work);
    Job job{.run = std::move(task.run),
            .engine = engine_of(task),
            .priority = priority_of(node, priority_),
            .after = std::move(after)};
    if (Hazards::get() != nullptr && !std::holds_alternative<std::monostate>(task.what)) {
      job.operation = hazards::describe(task, stream_, number_);
      job.overlaps = overlaps_;
    }
    return Executor::get().submit(std::move(job));
  }

  const Stream& stream_;
  int priority_;
  std::uint64_t number_ = 0;       // of this launch, for the hazard checker
  std::vector<MarkPtr> overlaps_;  // of the node at hand, see Job
};

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
    require(!holds_memory_nodes(*exec.graph), cudaErrorNotSupported);
    return capture_work(stream, ChildGraph{clone_graph(*exec.graph)});
  }
  check_memory(exec);
  const MarkPtr start = Streams::get().enqueue(stream, Job{.run = nullptr, .after = {exec.last}});
  // What runs keeps its memory when the executable is destroyed meanwhile.
  const auto keep = [graph = exec.graph](double) { return TaskResult{}; };
  exec.last = Streams::get().enqueue(
      stream,
      Job{.run = keep, .even_if_lost = true, .after = Launcher(stream).launch(*exec.graph, start)});
  exec.launched = true;
}

cudaGraphExec_t instantiate(cudaGraph_t handle, unsigned long long flags) {
  require((flags & ~known_flags) == 0);
  Graph& graph = graph_of(handle);
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) {
    Runtime::get().note_once("graphs that kernels launch are not supported by the simulator");
    throw ApiError{cudaErrorNotSupported};
  }
  require(!holds_memory_nodes(graph) || graph.executables == 0, cudaErrorNotSupported);
  ordered(graph);
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
  parameters->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess
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
