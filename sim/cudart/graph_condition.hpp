// Conditional nodes: the values that kernels set, and the bodies that are chosen by them.
#pragma once

#include <atomic>
#include <cstdint>

#include "sim/cudart/graph.hpp"

namespace sim {

// Behind a cudaGraphConditionalHandle. It lives as long as a graph, or an executable made of it.
struct Condition {
  std::uint64_t handle = 0;
  const Graph* graph = nullptr;  // that it was made for; only ever compared
  std::uint32_t first = 0;       // what it is at the start of that graph, if it starts_anew
  bool starts_anew = false;
  std::atomic<std::uint32_t> value{0};
};

// cudaGraphSetConditional, as kernels call it. False: there is no such handle.
bool set_condition(std::uint64_t handle, std::uint32_t value);

// A node of the graph with empty bodies. Throws ApiError{cudaErrorInvalidValue}.
Conditional conditional_work(const cudaConditionalNodeParams& parameters, const Graph& graph);

// Which body runs now; null: none.
const Graph* chosen_body(const Conditional& node);

bool holds_conditional_nodes(const Graph& graph);
// A handle of the graph or of a body that no node uses.
bool holds_unused_conditions(const Graph& graph);
// Bodies hold kernels, copies, fills, child graphs and further conditional nodes alone. Throws
// ApiError{cudaErrorNotSupported}.
void require_allowed_bodies(const Graph& graph);

}  // namespace sim
