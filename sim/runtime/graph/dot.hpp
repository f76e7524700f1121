// A graph in the DOT language, one box per node.
#pragma once

#include <ostream>

#include "sim/runtime/graph/graph.hpp"

namespace aisp::sim {

void print_dot(const Graph& graph, std::ostream& out, bool verbose);

}  // namespace aisp::sim
