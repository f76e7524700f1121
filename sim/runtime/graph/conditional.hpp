// Conditional nodes: bodies that are chosen by the values that kernels set.
#pragma once

#include "sim/runtime/graph/graph.hpp"

namespace aisp::sim {

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

}  // namespace aisp::sim
