// Graphs as a whole: made, destroyed, cloned, printed.
#include "sim/runtime/graph/graph.hpp"

#include <fstream>

#include "sim/cudart/entry.hpp"
#include "sim/runtime/graph/conditional.hpp"
#include "sim/runtime/graph/dot.hpp"

using namespace aisp;

using sim::graph_of;
using sim::locked_api;
using sim::require;

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return locked_api([&] {
    require(graph != nullptr && flags == 0);
    *graph = sim::publish_graph(std::make_shared<sim::Graph>());
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return locked_api([&] { sim::unpublish_graph(graph_of(graph)); });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t original) {
  return locked_api([&] {
    require(clone != nullptr);
    const sim::Graph& graph = graph_of(original);
    require(!sim::holds_memory_nodes(graph) && !sim::holds_conditional_nodes(graph),
            cudaErrorNotSupported);
    *clone = sim::publish_graph(sim::clone_graph(graph));
  });
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char* path, unsigned flags) {
  return locked_api([&] {
    require(path != nullptr);
    const sim::Graph& graph = graph_of(handle);
    std::ofstream out(path);
    require(out.is_open(), cudaErrorOperatingSystem);
    sim::print_dot(graph, out, flags != 0);
  });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* handle, cudaGraph_t graph,
                                             unsigned first, unsigned flags) {
  return locked_api([&] {
    require(handle != nullptr && (flags & ~unsigned{cudaGraphCondAssignDefault}) == 0);
    sim::Graph& owner = graph_of(graph);
    owner.conditions.push_back(
        sim::make_condition(owner, first, (flags & cudaGraphCondAssignDefault) != 0));
    *handle = owner.conditions.back()->handle;
  });
}
