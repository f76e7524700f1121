// From the record of a kernel to its graph.
#pragma once

#include "lab/draw/sync_graph.hpp"

namespace aisp::lab {

SyncGraph sync_graph_of(const SyncRecord& record);

}  // namespace aisp::lab
