// Asynchronous operations: what they know when they are issued, what they touch, and what a wait
// for them tells.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/machine/async.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

constexpr std::size_t commits_kept = 512;

template <class Commits>
void trim(Commits& commits) {
  while (commits.size() > commits_kept) commits.pop_front();
}

// What a lane has issued in all but its `newest` committed groups.
std::uint32_t issued_before(const std::deque<Commit>& commits, int lane, std::uint32_t newest) {
  for (auto at = commits.rbegin(); at != commits.rend(); ++at) {
    if ((at->mask >> lane & 1) == 0) continue;
    if (newest-- == 0) return at->issued;
  }
  return 0;
}

void raise(std::uint32_t* done, const std::deque<Commit>& commits, Mask mask,
           std::uint32_t newest) {
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    done[lane] = std::max(done[lane], issued_before(commits, lane, newest));
  }
}

}  // namespace

std::uint64_t GridWatch::issued(Warp& warp, Mask mask, AsyncKind kind) {
  WarpWatch& self = of(warp);
  ClusterWatch& cluster = *self.block->cluster;
  std::uint32_t slot;
  if (cluster.free_operations.empty()) {
    slot = static_cast<std::uint32_t>(cluster.operations.size());
    cluster.operations.emplace_back();
  } else {
    slot = cluster.free_operations.back();
    cluster.free_operations.pop_back();
  }
  Operation& operation = cluster.operations[slot];
  operation.kind = kind;
  operation.warp = &self;
  operation.mask = mask;
  operation.pc = self.pc();
  operation.issue_time = self.now++;
  operation.groups.clear();
  operation.suspects.clear();
  for (const Group& group : self.groups)
    if ((group.mask & mask) != 0) {
      Group& known = operation.groups.emplace_back();
      known.mask = group.mask & mask;
      known.clock = group.clock;
    }
  operation.done = self.done;
  operation.products_done = self.products_done;
  switch (kind) {
    case AsyncKind::copy:
      operation.number = ++self.copies;
      break;
    case AsyncKind::bulk_store:
      operation.number = ++self.bulks;
      break;
    case AsyncKind::product:
      operation.number = ++self.products;
      self.products_issued_at.push_back(operation.issue_time);
      break;
    default:
      operation.number = 0;
  }
  return slot + 1;
}

void GridWatch::async_access(Cluster& cluster, std::byte* at, std::uint64_t bytes, Access access,
                             int lane, std::uint32_t barrier) {
  ClusterWatch& self = of(cluster);
  if (cluster.acting == 0 || bytes == 0) return;
  if (access != Access::read) ++writes_;
  settle_write();
  Operation& operation = self.operations[cluster.acting - 1];
  WarpWatch& warp = *operation.warp;
  Accessor who{.warp = &warp, .operation = &operation, .pc = operation.pc, .access = access};
  who.lane = lane >= 0 ? lane : std::countr_zero(operation.mask);
  who.group = &operation.groups.front();
  for (const Group& group : operation.groups)
    if ((group.mask >> who.lane & 1) != 0) who.group = &group;
  who.time = operation.number;
  switch (operation.kind) {
    case AsyncKind::copy:
      who.actor = warp.own(Channel::copy);
      break;
    case AsyncKind::bulk_store:
      who.actor = warp.own(access == Access::read ? Channel::bulk_read : Channel::bulk_write);
      who.flags = flag_async;
      if (access == Access::atomic) who.flags |= flag_atomic | flag_strong;
      break;
    case AsyncKind::product:
      who.actor = warp.own(Channel::product);
      who.flags = flag_async;
      break;
    case AsyncKind::tensor_load:
    case AsyncKind::tensor_store:
      return;
    case AsyncKind::bulk_load:
    case AsyncKind::lane_store: {
      const MBarrierWatch* at_end = find_mbarrier(*warp.warp->block, barrier);
      if (at_end == nullptr) return;
      who.actor = at_end->actor;
      who.time = at_end->phase;
      if (operation.kind == AsyncKind::bulk_load) who.flags = flag_async;
      if (access == Access::atomic) who.flags |= flag_atomic | flag_strong;
      record_->issuers[{who.actor, who.pc}] = {index_of(warp.actor), who.lane, who.time,
                                               operation.issue_time};
      break;
    }
  }
  who.seen = seen_of(access != Access::read, who.flags, false);
  const Region region = region_of(cluster, *warp.warp->block, at);
  // Copies that nobody waits for end with their block.
  if (region.block != nullptr && region.block->exited && operation.kind != AsyncKind::copy)
    report_use_after_exit(region, who);
  touch(region, bytes, who);
}

void GridWatch::run_done(Cluster& cluster, std::uint64_t watched) {
  if (watched == 0) return;
  ClusterWatch& self = of(cluster);
  Operation& operation = self.operations[watched - 1];
  if (!operation.suspects.empty()) judge_suspects(cluster, operation);
  operation.groups.clear();
  self.free_operations.push_back(static_cast<std::uint32_t>(watched - 1));
}

void GridWatch::committed(Warp& warp, Mask mask, AsyncKind kind) {
  WarpWatch& self = of(warp);
  if (kind == AsyncKind::product) {
    self.product_commits.push_back({self.products, self.product_issued_at});
    ++self.product_group;
    trim(self.product_commits);
    return;
  }
  auto& commits = kind == AsyncKind::copy ? self.copy_commits : self.bulk_commits;
  commits.push_back({mask, kind == AsyncKind::copy ? self.copies : self.bulks});
  trim(commits);
}

void GridWatch::groups_waited(Warp& warp, Mask mask, AsyncKind kind, std::uint32_t newest,
                              bool read_only) {
  WarpWatch& self = of(warp);
  if (kind == AsyncKind::copy) return raise(self.done.copy, self.copy_commits, mask, newest);
  if (kind == AsyncKind::product) {
    if (self.product_commits.size() > newest) {
      const ProductCommit& over = self.product_commits[self.product_commits.size() - 1 - newest];
      self.products_done = std::max(self.products_done, over.products);
    }
    std::erase_if(self.in_flight, [&](const ProductInFlight& product) {
      return product.group + newest < self.product_group;
    });
    return;
  }
  raise(self.done.bulk_read, self.bulk_commits, mask, newest);
  if (!read_only) raise(self.done.bulk_write, self.bulk_commits, mask, newest);
}

void GridWatch::all_waited(Warp& warp, Mask mask, AsyncKind kind) {
  WarpWatch& self = of(warp);
  if (kind != AsyncKind::copy) return;
  for (Mask left = mask; left != 0; left &= left - 1)
    self.done.copy[std::countr_zero(left)] = self.copies;
}

// One warp's wait says for its warpgroup that the operands have been read, and that all four warps
// have issued the products; what a warp did behind its issue is not ordered by it.
void GridWatch::products_ended(Warp& warp, int first_warp, std::uint32_t groups) {
  constexpr int group_warps = 4;
  std::vector<Entry> reads, products;
  auto& warps = warp.block->warps;
  const auto first = static_cast<std::size_t>(first_warp);
  for (std::size_t i = first; i < std::min(first + group_warps, warps.size()); ++i) {
    const WarpWatch& other = of(*warps[i]);
    const std::uint32_t newest = other.product_group - std::min(other.product_group, groups);
    if (groups == 0 || other.product_commits.size() <= newest) continue;
    const ProductCommit& last = other.product_commits[other.product_commits.size() - 1 - newest];
    if (last.issued_at != 0) reads.push_back({other.actor, all_lanes, last.issued_at});
    if (last.products != 0) products.push_back({other.own(Channel::product), 1, last.products});
  }
  auto known = std::make_shared<Clock>();
  (*known)[Layer::performed] = with({}, reads);
  (*known)[Layer::ordered] = with({}, products);
  acquire(of(warp), all_lanes, known);
}

// What the lane itself did before is not released: the arrival is made by what it has issued.
std::uint64_t GridWatch::will_arrive(Warp& warp, int lane, const Entry& done,
                                     std::vector<Entry> tensor) {
  WarpWatch& self = of(warp);
  ClusterWatch& cluster = *self.block->cluster;
  auto told = copy_of(group_of(self, lane).clock);
  (*told)[Layer::ordered] = with((*told)[Layer::ordered], {done});
  (*told)[Layer::performed] =
      with((*told)[Layer::performed], {{self.actor, Mask{1} << lane, self.now}});
  (*told)[Layer::tensor] = with((*told)[Layer::tensor], std::move(tensor));
  ++self.now;
  const std::uint64_t number = cluster.next_arrival++;
  cluster.arrivals[number] = {told, self.pc()};
  return number;
}

std::uint64_t GridWatch::copies_will_arrive(Warp& warp, int lane) {
  const WarpWatch& self = of(warp);
  return will_arrive(warp, lane, {self.own(Channel::copy), Mask{1} << lane, self.copies}, {});
}

// A commit is a tcgen05.fence::before_thread_sync as well: what the lane did to tensor memory is
// told with it.
std::uint64_t GridWatch::products_will_arrive(Warp& warp, int lane, std::uint32_t barrier,
                                              bool pair) {
  const WarpWatch& self = of(warp);
  const Mask bit = Mask{1} << lane;
  check_group(self, lane, pair, "tcgen05.commit");
  BlockWatch* owner = nullptr;
  MBarrierWatch* at_end = find_mbarrier(*warp.block, barrier, &owner);
  if (at_end != nullptr && owner != self.block) {
    const bool waits = self.products != 0;  // else it arrives at once
    at_end->remote.push_back({waits ? self.own(Channel::product) : self.actor, bit,
                              waits ? self.products : self.now, self.pc(), at_end->phase});
  }
  return will_arrive(warp, lane, {self.own(Channel::product), bit, self.products},
                     own_entries(self, bit));
}

void GridWatch::tensor_map_read(Warp& warp, int lane, std::byte* at) {
  WarpWatch& self = of(warp);
  const Group& group = group_of(self, lane);
  const Region region = region_of(*warp.block->cluster, *warp.block, at);
  if (region.block != nullptr) return;
  std::uint32_t unit = 0;
  for (std::uint64_t address = region.address; address < region.address + 128; address += unit) {
    Page& page = global_.page(address);  // a map may lie across two
    page.refine(Page::coarsest);
    unit = 1u << page.shift();
    const Stamp write = page.cell(static_cast<std::uint32_t>(address & (Page::bytes - 1))).write;
    const Mask bit = Mask{1} << write.lane;
    if (write.actor == 0 ||
        missing(layer_of(group.clock, Layer::map_visible), write.actor, bit, write.time) == 0)
      continue;
    if (known(HazardRule::tensormap_fence, write.pc, self.pc())) return;
    add(HazardRule::tensormap_fence, "a tensor map changed in this kernel is used by a tensor copy",
        "TMA reads tensor maps through a proxy of its own, which has not been told "
        "of the change",
        "fence.proxy.tensormap::generic.release (or tensormap.cp_fenceproxy) after the change, "
        "and fence.proxy.tensormap::generic.acquire by the thread that issues the copy",
        {place_of(write.actor, static_cast<int>(write.lane), write.pc, "write of the tensor map"),
         place_here(self, lane, self.pc(), "tensor copy")},
        write.pc, self.pc());
    return;
  }
}

}  // namespace aisp::sim::watch
