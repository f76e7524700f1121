#include "sim/watch/device/grid_watch.hpp"

#include <algorithm>

#include "sim/machine/names.hpp"

namespace aisp::sim::watch {

GridWatch::GridWatch(ProcessWatch& process, Grid& grid, bool programmatic)
    : process_(process),
      grid_(grid),
      kernel_(readable_name(grid.kernel->name)),
      programmatic_(programmatic),
      warps_per_block_(static_cast<std::uint32_t>((grid.block.count() + lanes - 1) / lanes)),
      facts_(facts_of(*grid.program)) {}

GridWatch::~GridWatch() = default;

void GridWatch::cluster_started(Cluster& cluster) {
  auto watched = std::make_unique<ClusterWatch>();
  watched->cluster = &cluster;
  for (const auto& block : cluster.blocks) {
    BlockWatch& self = watched->blocks.emplace_back(block->shared_bytes);
    self.block = block.get();
    self.cluster = watched.get();
    self.number =
        (block->index[2] * grid_.grid.y + block->index[1]) * grid_.grid.x + block->index[0];
    self.warps = warps_per_block_;
    self.first_warp = self.number * warps_per_block_;
    block->watched = &self;
    for (const auto& warp : block->warps) {
      WarpWatch& one = watched->warps.emplace_back();
      one.warp = warp.get();
      one.block = &self;
      one.actor =
          actor_of(self.first_warp + static_cast<std::uint32_t>(warp->index), Channel::lanes);
      one.groups.emplace_back().mask = all_lanes;
      warp->watched = &one;
    }
  }
  cluster.watched = std::move(watched);
}

void GridWatch::cluster_done(Cluster&) {}

Footprint GridWatch::finish() {
  global_.footprint(touched_);
  for (const auto& [begin, range] : constants_) touched_.reads.push_back(range);
  for (auto* ranges : {&touched_.early_reads, &touched_.early_writes})
    std::sort(ranges->begin(), ranges->end(),
              [](const TouchedRange& a, const TouchedRange& b) { return a.begin < b.begin; });
  if (process_.options.uninitialised)
    for (const TouchedRange& range : touched_.writes) process_.written.add(range.begin, range.end);
  if (process_.options.advice) report_advice();
  process_.findings.write();
  return std::move(touched_);
}

}  // namespace aisp::sim::watch
