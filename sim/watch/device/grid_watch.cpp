#include "sim/watch/device/grid_watch.hpp"

#include <algorithm>

#include "sim/machine/names.hpp"

namespace aisp::sim::watch {

namespace {

// Kernels that could tell each other something while they run have to be compared access by access;
// of the others what they touched as a whole is enough.
GridRecordPtr record_of(ProcessWatch& process, const Grid& grid, bool programmatic) {
  auto record = std::make_shared<GridRecord>();
  record->kernel = readable_name(grid.kernel->name);
  record->program = grid.program;
  record->grid = grid.grid;
  record->device = grid.ordinal;
  record->warps_per_block = static_cast<std::uint32_t>((grid.block.count() + lanes - 1) / lanes);
  record->numbers = record->warps_per_block * static_cast<std::uint32_t>(grid.grid.count());
  record->facts = facts_of(*grid.program);
  if (programmatic || !process.running || !record->facts->talks) return record;
  record->operation = process.running;
  beside_of(process).enter(record);
  return record;
}

}  // namespace

GridWatch::GridWatch(ProcessWatch& process, Grid& grid, bool programmatic)
    : process_(process),
      grid_(grid),
      record_(record_of(process, grid, programmatic)),
      kernel_(record_->kernel),
      programmatic_(programmatic),
      facts_(record_->facts),
      global_(record_->global),
      global_locations_(record_->operation ? beside_of(process).locations : own_locations_),
      known_(record_->operation ? beside_of(process).known_before(*record_->operation) : nullptr),
      mbarriers_(record_->first) {}

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
    self.warps = record_->warps_per_block;
    self.first_warp = record_->first + self.number * self.warps;
    block->watched = &self;
    for (const auto& warp : block->warps) {
      WarpWatch& one = watched->warps.emplace_back();
      one.warp = warp.get();
      one.block = &self;
      one.actor =
          actor_of(self.first_warp + static_cast<std::uint32_t>(warp->index), Channel::lanes);
      Group& all = one.groups.emplace_back();
      all.mask = all_lanes;
      all.clock = known_;
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
  record_->ended = true;
  return std::move(touched_);
}

}  // namespace aisp::sim::watch
