// The copies of a warp's lanes by cp.async: neighbours together.
#include <algorithm>
#include <bit>

#include "sim/machine/async.hpp"
#include "sim/watch/device/quick_check.hpp"

namespace aisp::sim::watch {
namespace {

std::uint64_t page_number(const std::byte* at) {
  return reinterpret_cast<std::uint64_t>(at) >> Page::bits;
}

// How many lanes in a row copy neighbours to neighbours, without leaving the pages.
int neighbours(Mask left, const LaneCopy* copies, std::uint32_t bytes, const std::byte* shared) {
  const auto page_of = [&](const LaneCopy& copy) {
    return static_cast<std::uint64_t>(copy.to - shared) >> Page::bits;
  };
  const int most = std::countr_one(left >> std::countr_zero(left));
  int count = 1;
  while (count < most && copies[count].given == bytes &&
         copies[count].to == copies[count - 1].to + bytes &&
         copies[count].from == copies[count - 1].from + bytes &&
         page_of(copies[count]) == page_of(*copies) &&
         page_number(copies[count].from) == page_number(copies->from))
    ++count;
  return count;
}

}  // namespace

void GridWatch::copies_access(Cluster& cluster, Mask mask, const LaneCopy* copies,
                              std::uint32_t bytes) {
  const ClusterWatch& self = of(cluster);
  if (cluster.acting == 0) return;
  ++writes_;
  settle_write();
  const Warp& warp = *self.operations[cluster.acting - 1].warp->warp;
  for (Mask left = mask; left != 0;) {
    const int count =
        copies->given == bytes ? neighbours(left, copies, bytes, warp.block->shared) : 1;
    const bool together =
        count > 1 && touch_copies(cluster, std::countr_zero(left), copies, count, bytes);
    const Mask these = (count == lanes ? all_lanes : (Mask{1} << count) - 1)
                       << std::countr_zero(left);
    if (!together) Observer::copies_access(cluster, these & left, copies, bytes);
    copies += count;
    left &= ~these;
  }
}

// `count` lanes from `first` on whose bytes lie side by side in one page of global memory, and in
// one of shared memory. False: each must be looked at by itself; reads that are noted already then
// change nothing.
bool GridWatch::touch_copies(Cluster& cluster, int first, const LaneCopy* copies, int count,
                             std::uint32_t bytes) {
  Operation& operation = of(cluster).operations[cluster.acting - 1];
  WarpWatch& warp = *operation.warp;
  Block& block = *warp.warp->block;
  if (operation.groups.size() != 1 || process_.options.uninitialised || programmatic_ ||
      has_beside())
    return false;
  Accessor who{.warp = &warp,
               .operation = &operation,
               .group = &operation.groups.front(),
               .actor = warp.own(Channel::copy),
               .time = operation.number,
               .pc = operation.pc,
               .lane = first,
               .access = Access::read,
               .seen = seen_of(false, 0, false)};
  const Region from = region_of(cluster, block, copies->from);
  const Region to = region_of(cluster, block, copies->to);
  if (from.block != nullptr || to.block != &of(block)) return false;
  const int shift = std::countr_zero(bytes);
  const auto in_page = [](const Region& region) {
    return static_cast<std::uint32_t>(region.address & (Page::bytes - 1));
  };
  Page &source = page_of(from), &target = page_of(to);
  if (target.barriers) return false;
  const std::uint32_t all_bytes = static_cast<std::uint32_t>(count) * bytes;
  prepare(source, from, in_page(from), bytes, all_bytes, who);
  prepare(target, to, in_page(to), bytes, all_bytes, who);
  if (source.shift() != shift || target.shift() != shift) return false;
  const QuickCheck reads(entries_, who, false);
  if (!reads.is_crowded(source) &&
      !reads.read_alike(source.columns(in_page(from)), count, first, 1))
    return false;
  who.access = Access::write;
  who.seen = seen_of(true, 0, false);
  return QuickCheck(entries_, who, true).write_alike(target.columns(in_page(to)), count, first, 1);
}

}  // namespace aisp::sim::watch
