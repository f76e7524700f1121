// Which barriers are one node of the graph: mbarriers that were initialised at one line for the
// same count and are used at the same places are a ring.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "lab/draw/sync_graph.hpp"

namespace aisp::lab {

// A barrier of the clusters of one log.
struct BarrierSeen {
  std::size_t log = 0;
  SyncBarrier barrier;
  auto operator<=>(const BarrierSeen&) const = default;
};

struct NodesFound {
  std::vector<SyncNode> nodes;
  std::map<BarrierSeen, std::size_t> node_of;  // barriers that nobody used have none
};

NodesFound find_nodes(const SyncRecord& record);

}  // namespace aisp::lab
