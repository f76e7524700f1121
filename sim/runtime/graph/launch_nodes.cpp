#include "sim/runtime/graph/launch_nodes.hpp"

#include <algorithm>

#include "sim/runtime/graph/conditional.hpp"
#include "sim/runtime/launch/kernel_task.hpp"
#include "sim/runtime/memory/graph_memory.hpp"
#include "sim/runtime/state/host_watch.hpp"
#include "sim/runtime/state/runtime.hpp"
#include "sim/runtime/stream/describe.hpp"
#include "sim/runtime/stream/event.hpp"

namespace aisp::sim {
namespace {

int priority_of(const GraphNode& node, int otherwise) {
  const auto* call = std::get_if<KernelCall>(&node.work);
  if (call == nullptr) return otherwise;
  for (const cudaLaunchAttribute& attribute : call->attributes)
    if (attribute.id == cudaLaunchAttributePriority) return attribute.val.priority;
  return otherwise;
}

// May the node's kernel start before the one that the edge comes from has ended? An edge of a
// captured programmatic launch does not say so itself.
bool is_programmatic(const GraphNode& node, const Edge& edge) {
  const auto* call = std::get_if<KernelCall>(&node.work);
  return call != nullptr && (edge.data.type == cudaGraphDependencyTypeProgrammatic ||
                             (call->programmatic && node.before.size() == 1));
}

// One launch of a graph, or of a body of it.
struct Launch {
  Stream stream;                 // as it was: the program may destroy it while bodies are to come
  std::uint64_t number = 0;      // of this launch, for the hazard checker
  watch::OrderNodePtr inside{};  // of a body: the end of the conditional node, for the checker
};

class Launcher {
 public:
  explicit Launcher(Launch launch) : launch_(std::move(launch)) {}

  // The whole graph. Values of all conditions begin anew, those of bodies too: once a launch, not
  // at every turn of a loop around them.
  std::vector<MarkPtr> run_all(const Graph& graph, const MarkPtr& start) {
    Conditions anew;
    collect(graph, anew);
    return run(graph, anew.empty() ? start : start_anew(std::move(anew), start));
  }

  std::vector<MarkPtr> run(const Graph& graph, const MarkPtr& start) {
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
      const MarkPtr mark = node->enabled ? run(*node, std::move(after)) : join(std::move(after));
      marks[node] = mark;
      if (node->after.empty()) ends.push_back(mark);
    }
    if (ends.empty()) ends.push_back(start);
    return ends;
  }

  MarkPtr join(std::vector<MarkPtr> after) { return Executor::get().submit(job(std::move(after))); }

  // Runs nothing, on the launch's device and behind `after`.
  Job job(std::vector<MarkPtr> after) const {
    return Job{.run = nullptr,
               .use = {.device = launch_.stream.device},
               .priority = launch_.stream.priority,
               .after = std::move(after),
               .inside = launch_.inside};
  }

 private:
  using Conditions = std::vector<std::shared_ptr<Condition>>;
  static void collect(const Graph& graph, Conditions& anew) {
    for (const auto& condition : graph.conditions)
      if (condition->starts_anew) anew.push_back(condition);
    for (const auto& node : graph.nodes)
      for (const Graph* inner : inner_graphs(*node)) collect(*inner, anew);
  }

  MarkPtr start_anew(Conditions conditions, const MarkPtr& start) {
    Job assign = job({start});
    assign.run = [conditions = std::move(conditions)](double) {
      for (const auto& condition : conditions) condition->value = condition->first;
      return TaskResult{};
    };
    return Executor::get().submit(std::move(assign));
  }

  MarkPtr run(const GraphNode& node, std::vector<MarkPtr> after) {
    if (const auto* child = std::get_if<ChildGraph>(&node.work))
      return join(run(*child->graph, join(std::move(after))));
    if (const auto* conditional = std::get_if<Conditional>(&node.work))
      return begin(*conditional, std::move(after));
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
      // What the graph itself allocates stays its own: the next launch has it again.
      if (owns_memory(*node.graph, release->memory)) {
        Job ordering = job(std::move(after));
        ordering.run = [memory = release->memory](double) {
          end_graph_memory(memory);
          return TaskResult{};
        };
        if (host_watch() != nullptr)
          ordering.operation =
              operation_of({.what = *release, .run = nullptr}, launch_.stream, launch_.number);
        return Executor::get().submit(std::move(ordering));
      }
    return work(node, std::move(after));
  }

  MarkPtr work(const GraphNode& node, std::vector<MarkPtr> after) {
    Task task;
    std::visit(
        [&]<class Work>(Work work) {
          if constexpr (std::is_same_v<Work, KernelCall>) work.programmatic = !overlaps_.empty();
          if constexpr (requires { make_task(work); }) task = make_task(std::move(work));
        },
        node.work);
    Job made = job(std::move(after));
    made.run = std::move(task.run);
    made.priority = priority_of(node, made.priority);
    made.overlaps = overlaps_;
    made.use = engine_use_of(task, launch_.stream.device);
    made.traced = interval_of(made.use, task, launch_.stream);
    if (host_watch() != nullptr && !std::holds_alternative<std::monostate>(task.what))
      made.operation = operation_of(task, launch_.stream, launch_.number);
    if (made.operation)
      made.operation->at_launch =
          std::any_of(node.before.begin(), node.before.end(), [](const Edge& edge) {
            return edge.data.from_port == cudaGraphKernelNodePortLaunchCompletion;
          });
    return Executor::get().submit(std::move(made));
  }

  MarkPtr begin(const Conditional& node, std::vector<MarkPtr> after);

  Launch launch_;
  std::vector<MarkPtr> overlaps_;  // of the node at hand, see Job
};

// A conditional node that is being launched. What it comes down to is known when the executor has
// reached it; its end is promised to those that wait for it.
class ConditionalRun : public std::enable_shared_from_this<ConditionalRun> {
 public:
  ConditionalRun(const Conditional& node, Launch launch, MarkPtr end)
      : node_(node), launch_(std::move(launch)), end_(std::move(end)) {
    // The program may change the executable before the body is chosen, for later launches.
    for (auto& body : node_.bodies) body = clone_graph(*body);
    launch_.inside = end_->node;
    if (watch::HostWatch* watch = host_watch()) reserved_ = watch->reserve();
  }

  void decide_after(std::vector<MarkPtr> marks) {
    Job decision = Launcher(launch_).job(std::move(marks));
    decision.even_if_lost = true;  // somebody waits for the end
    const MarkPtr own = decision.mark = std::make_shared<Mark>();
    decision.run = [self = shared_from_this(), own](double) {
      self->decide(own);
      return TaskResult{};
    };
    Executor::get().submit(std::move(decision));
  }

 private:
  void decide(const MarkPtr& reached) {
    const std::lock_guard lock(Runtime::get().mutex);
    const bool lost = Runtime::get().sticky() != cudaSuccess;
    const Graph* body = lost ? nullptr : chosen_body(node_);
    if (body == nullptr) return finish({reached});
    auto ends = Launcher(launch_).run(*body, reached);
    if (node_.type == cudaGraphCondTypeWhile)
      decide_after(std::move(ends));
    else
      finish(std::move(ends));
  }

  void finish(std::vector<MarkPtr> ends) {
    Job last = Launcher(launch_).job(std::move(ends));
    last.mark = end_;
    last.even_if_lost = true;
    last.run = [reserved = reserved_](double) {
      if (watch::HostWatch* watch = host_watch()) watch->release(reserved);
      return TaskResult{};
    };
    Executor::get().submit(std::move(last));
  }

  Conditional node_;
  Launch launch_;
  MarkPtr end_;
  std::uint64_t reserved_ = 0;
};

MarkPtr Launcher::begin(const Conditional& node, std::vector<MarkPtr> after) {
  const MarkPtr reached = join(std::move(after));
  const MarkPtr end = Executor::get().promise(job({reached}));
  std::make_shared<ConditionalRun>(node, launch_, end)->decide_after({reached});
  return end;
}

}  // namespace

std::vector<MarkPtr> launch_nodes(const Graph& graph, const Stream& stream, const MarkPtr& start) {
  Launch launch{.stream = stream};
  if (watch::HostWatch* watch = host_watch()) launch.number = watch->next_graph();
  return Launcher(std::move(launch)).run_all(graph, start);
}

}  // namespace aisp::sim
