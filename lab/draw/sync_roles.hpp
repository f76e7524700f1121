// Which warps play the same role: found from what they did, never from names in the source.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "lab/draw/sync_nodes.hpp"

namespace aisp::lab {

// Blocks that did the same: block `rank` of the clusters of one log.
struct SyncBlocks {
  std::size_t log = 0;
  int rank = 0;
  auto operator<=>(const SyncBlocks&) const = default;
};

struct RoleFound {
  SyncRole text;
  std::set<std::pair<SyncBlocks, int>> warps;
  std::set<SyncBlocks> blocks;
};

struct RolesFound {
  std::vector<RoleFound> roles;
  std::set<int> silent;  // warps that synchronise with nobody, in any block

  // Of an event's warp; every warp that does anything but init has one.
  std::size_t of(const SyncBlocks& blocks, int warp) const;
};

RolesFound find_roles(const SyncRecord& record, const NodesFound& nodes);

}  // namespace aisp::lab
