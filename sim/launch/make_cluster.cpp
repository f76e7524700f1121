#include <algorithm>
#include <cstring>
#include <new>

#include "sim/launch/cluster.hpp"
#include "sim/machine/async.hpp"
#include "sim/machine/observer.hpp"

namespace aisp::sim {
namespace {

constexpr std::size_t line = 64;  // registers start on a cache line: 32-byte vectors never straddle

struct ClusterPlace {
  Dim3 index, count;  // %clusterid, %nclusterid
};

struct WarpPlace {
  const Block& block;
  const Warp& warp;
  ClusterPlace cluster;
};

std::uint64_t special_value(const WarpPlace& at, Special what, int lane) {
  const Grid& grid = *at.block.grid;
  const auto thread = static_cast<std::uint64_t>(at.warp.index * lanes + lane);
  const Dim3 tid = grid.block.place_of(thread);
  const Dim3 in_cluster{at.block.index[0] % grid.cluster.x, at.block.index[1] % grid.cluster.y,
                        at.block.index[2] % grid.cluster.z};
  const std::uint64_t bit = std::uint64_t{1} << lane;
  const std::uint64_t own = std::uint64_t{at.block.rank} << shared_rank_shift;
  const auto reserved = static_cast<std::uint64_t>(grid.device->shared_reserved);
  switch (what) {
    case Special::tid_x:
      return tid.x;
    case Special::tid_y:
      return tid.y;
    case Special::tid_z:
      return tid.z;
    case Special::ntid_x:
      return grid.block.x;
    case Special::ntid_y:
      return grid.block.y;
    case Special::ntid_z:
      return grid.block.z;
    case Special::ctaid_x:
      return at.block.index[0];
    case Special::ctaid_y:
      return at.block.index[1];
    case Special::ctaid_z:
      return at.block.index[2];
    case Special::nctaid_x:
      return grid.grid.x;
    case Special::nctaid_y:
      return grid.grid.y;
    case Special::nctaid_z:
      return grid.grid.z;
    case Special::laneid:
      return static_cast<std::uint64_t>(lane);
    case Special::warpid:
      return static_cast<std::uint64_t>(at.warp.index);
    case Special::nwarpid:
      return static_cast<std::uint64_t>(grid.device->warps_per_sm);
    case Special::smid:
      return static_cast<std::uint64_t>(at.block.sm);
    case Special::nsmid:
      return static_cast<std::uint64_t>(grid.device->multiprocessors);
    case Special::gridid:
      return grid.id;
    case Special::lanemask_eq:
      return bit;
    case Special::lanemask_lt:
      return bit - 1;
    case Special::lanemask_le:
      return bit | (bit - 1);
    case Special::lanemask_gt:
      return all_lanes & ~(bit | (bit - 1));
    case Special::lanemask_ge:
      return all_lanes & ~(bit - 1);
    case Special::clusterid_x:
      return at.cluster.index.x;
    case Special::clusterid_y:
      return at.cluster.index.y;
    case Special::clusterid_z:
      return at.cluster.index.z;
    case Special::nclusterid_x:
      return at.cluster.count.x;
    case Special::nclusterid_y:
      return at.cluster.count.y;
    case Special::nclusterid_z:
      return at.cluster.count.z;
    case Special::cluster_ctaid_x:
      return in_cluster.x;
    case Special::cluster_ctaid_y:
      return in_cluster.y;
    case Special::cluster_ctaid_z:
      return in_cluster.z;
    case Special::cluster_nctaid_x:
      return grid.cluster.x;
    case Special::cluster_nctaid_y:
      return grid.cluster.y;
    case Special::cluster_nctaid_z:
      return grid.cluster.z;
    case Special::cluster_ctarank:
      return at.block.rank;
    case Special::cluster_nctarank:
      return grid.cluster.count();
    case Special::is_explicit_cluster:
      return grid.explicit_cluster ? all_lanes : 0;
    case Special::dynamic_smem_size:
      return grid.dynamic_shared;
    case Special::total_smem_size:
      return at.block.shared_bytes - reserved;
    case Special::aggr_smem_size:
      return at.block.shared_bytes;
    case Special::reserved_smem_offset:
      return 0;
    case Special::own_shared_base:
      return own + reserved;
    case Special::dynamic_shared_base:
      return own + reserved + grid.kernel->static_shared;
    case Special::count:
      break;
  }
  return 0;
}

void fill_specials(Warp& warp, const WarpPlace& at) {
  for (const SpecialUse& use : at.block.grid->kernel->specials) {
    if (use.what == Special::is_explicit_cluster) {  // a predicate
      *warp.write<Mask>(use.slot) = static_cast<Mask>(special_value(at, use.what, 0));
      continue;
    }
    for (int lane = 0; lane < lanes; ++lane) {
      const std::uint64_t value = special_value(at, use.what, lane);
      if (use.wide)
        warp.write<std::uint64_t>(use.slot)[lane] = value;
      else
        warp.write<std::uint32_t>(use.slot)[lane] = static_cast<std::uint32_t>(value);
    }
  }
}

std::byte* aligned(std::byte* memory) {
  return reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory) + line - 1) &
                                      ~std::uintptr_t{line - 1});
}

std::unique_ptr<Warp> make_warp(Grid& grid, Block& block, int index, Counters& counters) {
  auto warp = std::make_unique<Warp>();
  const std::size_t registers = grid.kernel->register_bytes + line;
  const std::size_t local = std::size_t{grid.local_limit} * lanes;
  // What was never written is not 0 on a device either: NaN and -1 show that it was read.
  warp->storage = std::make_unique_for_overwrite<std::byte[]>(registers + local + line);
  std::memset(warp->storage.get(), 0xff, registers + local + line);
  warp->bases[0] = aligned(warp->storage.get());
  warp->bases[1] = const_cast<std::byte*>(grid.program->constants.data());
  warp->local = aligned(warp->bases[0] + grid.kernel->register_bytes);
  warp->local_bytes = grid.local_limit;
  warp->program = grid.program;
  warp->block = &block;
  warp->counters = &counters;
  warp->detailed = grid.settings.detailed;
  warp->observer = grid.observer;
  warp->plain = !warp->detailed && warp->observer == nullptr;
  warp->index = index;
  const std::uint32_t threads =
      std::min<std::uint32_t>(lanes, block.threads - static_cast<std::uint32_t>(index * lanes));
  warp->exists = threads == lanes ? all_lanes : (Mask{1} << threads) - 1;
  warp->alive = warp->exists;
  LaneGroup& first = warp->lane_groups.emplace_back();
  first.mask = warp->exists;
  first.pc = grid.kernel->entry;
  return warp;
}

std::unique_ptr<Block> make_block(Grid& grid, Cluster& cluster, const Dim3& index,
                                  std::uint32_t rank, Counters& counters, const ClusterPlace& place,
                                  const DevicePart* part) {
  auto block = std::make_unique<Block>();
  block->cluster = &cluster;
  block->grid = &grid;
  block->index[0] = index.x;
  block->index[1] = index.y;
  block->index[2] = index.z;
  block->rank = rank;
  block->threads = static_cast<std::uint32_t>(grid.block.count());
  const int sms = part != nullptr ? part->model.multiprocessors : grid.device->multiprocessors;
  block->sm = static_cast<int>((std::uint64_t{cluster.index} * grid.cluster.count() + rank) %
                               static_cast<std::uint64_t>(sms));
  if (grid.tensor_memories) {
    std::vector<const TensorShare*> others;
    for (const auto& other : cluster.blocks) others.push_back(&other->tensor);
    block->sm = grid.tensor_memories->place(block->tensor, block->sm, others);
  }
  if (part != nullptr) block->sm = part->sms[static_cast<std::size_t>(block->sm)];
  block->shared_bytes = static_cast<std::uint32_t>(grid.device->shared_reserved) +
                        grid.kernel->static_shared + grid.dynamic_shared;
  // Swizzles work on address bits: offset 0 lies on a multiple of 1024 bytes.
  constexpr std::size_t atom = 1024;
  block->shared_storage = std::make_unique<std::byte[]>(block->shared_bytes + atom);
  block->shared = reinterpret_cast<std::byte*>(
      (reinterpret_cast<std::uintptr_t>(block->shared_storage.get()) + atom - 1) & ~(atom - 1));
  const auto warps = static_cast<int>((block->threads + lanes - 1) / lanes);
  for (int i = 0; i < warps; ++i) {
    block->warps.push_back(make_warp(grid, *block, i, counters));
    fill_specials(*block->warps.back(), {*block, *block->warps.back(), place});
  }
  return block;
}

}  // namespace

std::unique_ptr<Cluster> make_cluster(Grid& grid, std::uint32_t index, Counters& counters,
                                      const DevicePart* part) {
  auto cluster = std::make_unique<Cluster>();
  cluster->grid = &grid;
  cluster->index = index;
  std::uint64_t seed = grid.settings.seed * 0x9e3779b97f4a7c15ull + index;
  cluster->random = next_random(seed);
  const Dim3 clusters = grid.clusters(), at = clusters.place_of(index);
  const Dim3 first = grid.first_block(at);
  for (std::uint32_t rank = 0; rank < grid.cluster.count(); ++rank) {
    const Dim3 inner = grid.cluster.place_of(rank);
    const Dim3 block{first.x + inner.x, first.y + inner.y, first.z + inner.z};
    cluster->blocks.push_back(
        make_block(grid, *cluster, block, rank, counters, {at, clusters}, part));
    cluster->threads += cluster->blocks.back()->threads;
  }
  cluster->tensor_meetings.resize((cluster->blocks.size() + 1) / 2);
  if (grid.observer != nullptr) grid.observer->cluster_started(*cluster);
  return cluster;
}

}  // namespace aisp::sim
