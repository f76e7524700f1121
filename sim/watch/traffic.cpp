#include "sim/watch/traffic.hpp"

#include <algorithm>
#include <bit>

#include "sim/machine/wavefronts.hpp"

namespace aisp::sim::watch {
namespace {

// The block in whose shared memory it lies; null for global memory.
const Block* block_around(const Cluster& cluster, const std::byte* at) {
  for (const auto& block : cluster.blocks)
    if (at >= block->shared && at < block->shared + block->shared_bytes) return block.get();
  return nullptr;
}

}  // namespace

void Traffic::collect(const std::byte* at, std::uint64_t bytes) {
  const auto first = reinterpret_cast<std::uint64_t>(at);
  for (std::uint64_t sector = first / sector_bytes; sector <= (first + bytes - 1) / sector_bytes;
       ++sector)
    if (sectors_.empty() || sectors_.back() != sector) sectors_.push_back(sector);
}

void Traffic::count_collected() {
  if (!std::is_sorted(sectors_.begin(), sectors_.end()))
    std::sort(sectors_.begin(), sectors_.end());
  sectors_.erase(std::unique(sectors_.begin(), sectors_.end()), sectors_.end());
  requested_ += sectors_.size();
  Page* page = nullptr;
  std::uint64_t number = 0;
  for (const std::uint64_t sector : sectors_) {
    if (page == nullptr || sector / page_sectors != number) {
      number = sector / page_sectors;
      page = &touched_[number];
    }
    page->set(sector % page_sectors);
  }
  sectors_.clear();
}

void Traffic::access(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form) {
  std::uint32_t offsets[lanes]{};
  Mask shared = 0;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const Block* block = block_around(*warp.block->cluster, at[lane]);
    if (block == nullptr) {
      collect(at[lane], form.bytes);
      continue;
    }
    shared |= Mask{1} << lane;
    offsets[lane] = static_cast<std::uint32_t>(at[lane] - block->shared);
  }
  count_collected();
  if (shared == 0) return;
  const auto extra = static_cast<std::uint64_t>(extra_wavefronts(offsets, form.bytes, shared));
  bank_conflicts_ += extra;
  wavefronts_ += extra + static_cast<std::uint64_t>(least_wavefronts(form.bytes, shared));
}

void Traffic::access_run(Warp& warp, std::byte* first, std::int64_t step, const AccessForm& form) {
  std::byte* at[lanes];
  for (int lane = 0; lane < lanes; ++lane) at[lane] = first + step * lane;
  access(warp, all_lanes, at, form);
}

void Traffic::async_access(Cluster& cluster, std::byte* at, std::uint64_t bytes, Access, int,
                           std::uint32_t) {
  if (bytes != 0 && block_around(cluster, at) == nullptr) collect(at, bytes);
}

void Traffic::run_done(Cluster&, std::uint64_t) { count_collected(); }

std::uint64_t Traffic::distinct_bytes() const {
  std::uint64_t sectors = 0;
  for (const auto& [number, page] : touched_) sectors += page.count();
  return sectors * sector_bytes;
}

}  // namespace aisp::sim::watch
