// The synchronisation graph as text that others draw, and drawn.
#pragma once

#include <string>

#include "lab/draw/sync_graph.hpp"

namespace aisp::lab {

// For Graphviz.
std::string to_dot(const SyncGraph& graph);

// Roles stand side by side, each with a line down from it; a barrier lies between those that use it
// in a band of its own, so that nothing covers anything else.
std::string to_svg(const SyncGraph& graph);

}  // namespace aisp::lab
