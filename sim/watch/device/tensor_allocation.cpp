// Allocations of tensor memory, and the pairs of blocks that make them together.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

const char* name_of_request(const TensorRequest& request) {
  return request.frees ? "tcgen05.dealloc" : "tcgen05.alloc";
}

// What a warp of the block has done at all, or up to a time.
bool knows_of(const WarpWatch& self, Actor actor, std::uint32_t time) {
  for (const Group& group : self.groups)
    if (group.clock)
      for (const Layer layer : {Layer::ordered, Layer::performed})
        if (missing((*group.clock)[layer], actor, all_lanes, time) != all_lanes) return true;
  return false;
}

bool knows_of(const WarpWatch& self, const BlockWatch& block) {
  for (std::uint32_t i = 0; i < block.warps; ++i)
    if (knows_of(self, actor_of(block.first_warp + i, Channel::lanes), 1)) return true;
  return false;
}

// The block knows of all that the threads of the other one did with tensor memory before its
// tcgen05.dealloc: they have met before it, and reach it together.
bool has_met(const BlockWatch& block, const BlockWatch& peer) {
  return std::all_of(peer.block->warps.begin(), peer.block->warps.end(), [&](const auto& warp) {
    const WarpWatch& other = of(*warp);
    const auto told = [&](Layer layer) {
      return missing(layer_of(block.at_exit, layer), other.actor, all_lanes,
                     other.tensor_used_at) != all_lanes;
    };
    return other.tensor_used_at == 0 || told(Layer::ordered) || told(Layer::performed);
  });
}

}  // namespace

// All tcgen05 instructions of a kernel name the same group.
void GridWatch::check_group(const WarpWatch& self, int lane, bool pair, const char* what) {
  const std::uint32_t group = pair ? 2 : 1;
  if (tensor_group_ == 0) {
    tensor_group_ = group;
    tensor_group_pc_ = self.pc();
  }
  if (tensor_group_ == group || known(HazardRule::tensor_group, tensor_group_pc_, self.pc()))
    return;
  add(HazardRule::tensor_group,
      say(what, " with .cta_group::", group, " in a kernel that uses .cta_group::", tensor_group_),
      "a commit follows the instructions of its own group, and a device refuses a mixture as an "
      "illegal instruction",
      "one .cta_group in all tcgen05 instructions of a kernel",
      {place_here(self, -1, tensor_group_pc_, say("the first one, .cta_group::", tensor_group_)),
       place_here(self, lane, self.pc(), what)},
      tensor_group_pc_, self.pc());
}

// Of a pair: the other block runs, and has its columns before they are given back.
void GridWatch::check_peer(const WarpWatch& self, const TensorRequest& request) {
  const BlockWatch& peer = of(*request.peer);
  const auto& its = peer.tensor.allocated;
  const bool ready =
      request.frees ? its.actor != 0 && knows_of(self, its.actor, its.time) : knows_of(self, peer);
  if (ready || known(HazardRule::tensor_pair, self.pc(), 0)) return;
  const char* const what = name_of_request(request);
  add(HazardRule::tensor_pair,
      request.frees
          ? say(what, ".cta_group::2 gives columns ", request.range.first, "-",
                request.range.first + request.range.count - 1,
                " back, and nothing says that the other block's tcgen05.alloc has returned")
          : say(what, ".cta_group::2 of ", request.range.count,
                " columns, and nothing says that the other block of the pair runs"),
      "the blocks of a cluster start and go on at their own pace",
      request.frees ? "barrier.cluster.arrive and .wait between tcgen05.alloc and tcgen05.dealloc"
                    : "barrier.cluster.arrive and .wait by both blocks before tcgen05.alloc",
      {place_here(self, -1, self.pc(), what)}, self.pc(), 0);
}

void GridWatch::tensor_asked(Warp& warp, const TensorRequest& request) {
  WarpWatch& self = of(warp);
  check_group(self, -1, request.peer != nullptr, name_of_request(request));
  if (request.peer == nullptr) return;
  check_peer(self, request);
  ClockPtr& told = self.block->cluster->pair_meetings[warp.block->rank / 2];
  told = join(told, release(self, all_lanes));
}

void GridWatch::tensor_granted(Warp& warp, const TensorRequest& request) {
  WarpWatch& self = of(warp);
  ClockPtr* const meeting =
      request.peer != nullptr ? &self.block->cluster->pair_meetings[warp.block->rank / 2] : nullptr;
  for (Block* block : {warp.block, request.peer}) {
    if (block == nullptr) continue;
    BlockWatch& owner = of(*block);
    if (request.frees)
      check_freed(self, owner, request, meeting != nullptr ? *meeting : ClockPtr{});
    owner.tensor.forget(request.range);
    if (request.frees) continue;
    TensorRecord made{.actor = self.actor, .time = self.now, .pc = self.pc(), .wrote = true};
    made.cells = {.column = request.range.first, .columns = request.range.count};
    made.cells.lanes.fill(~0u);
    owner.tensor.enter(made);
  }
  if (meeting != nullptr) *meeting = join(*meeting, release(self, all_lanes));
  ++self.now;
}

// Both warps of a pair know of the allocation, whichever of them made it.
void GridWatch::tensor_returned(Warp& warp, const TensorRequest& request) {
  WarpWatch& self = of(warp);
  const ClockPtr told = self.block->cluster->pair_meetings[warp.block->rank / 2];
  auto known = std::make_shared<Clock>();
  (*known)[Layer::tensor] = join(layer_of(told, Layer::ordered), layer_of(told, Layer::tensor));
  acquire(self, all_lanes, known);
  TensorShadow& shadow = self.block->tensor;
  TensorShadow::Returned& last = request.frees ? shadow.freed : shadow.allocated;
  last = {self.actor, self.now++, self.pc()};
  self.block->peer = &of(*request.peer);
}

// The other block of the pair must be done with tcgen05.dealloc when this one leaves.
void GridWatch::check_peer_freed(const BlockWatch& block) {
  if (block.peer == nullptr || block.tensor.freed.actor == 0) return;
  const TensorShadow::Returned& its = block.peer->tensor.freed;
  const auto told = [&](Layer layer) {
    return missing(layer_of(block.at_exit, layer), its.actor, all_lanes, its.time) != all_lanes;
  };
  if (its.actor != 0 && (told(Layer::ordered) || told(Layer::performed))) return;
  const TensorShadow::Returned& own = block.tensor.freed;
  const HazardRule rule =
      has_met(block, *block.peer) ? HazardRule::dealloc_at_exit : HazardRule::early_exit;
  if (known(rule, own.pc, 0)) return;
  FindingPlace exits =
      place_of(actor_of(block.first_warp, Channel::lanes), -1, 0, "the block exits");
  exits.warp = -1;
  add(rule, "a block exits while the other one of its pair may still be in tcgen05.dealloc",
      "both blocks of a pair take part in it, and nothing says that the other one is through",
      "a cluster barrier (barrier.cluster.arrive and .wait) between tcgen05.dealloc and the exit",
      {place_of(own.actor, -1, own.pc, "tcgen05.dealloc.cta_group::2"), std::move(exits)}, own.pc,
      0);
}

// Columns are given back: what was done with them must be over, as far as the warp knows, or one
// of the two of a pair.
void GridWatch::check_freed(WarpWatch& self, BlockWatch& owner, const TensorRequest& request,
                            const ClockPtr& known_to_pair) {
  Group all;
  all.clock = known_to_pair;
  for (const Group& group : self.groups) {
    all.clock = join(all.clock, group.clock);
    all.seen = join(all.seen, group.seen);
  }
  TensorRecord now{.actor = self.actor, .time = self.now, .pc = self.pc(), .wrote = true};
  now.cells = {.column = request.range.first, .columns = request.range.count};
  now.cells.lanes.fill(~0u);
  // Loads and stores first: what a warp that has loaded knows of the products, a barrier with that
  // warp would have told.
  for (const bool of_tensor_core : {false, true})
    for (const TensorRecord& before : owner.tensor.records())
      if (before.of_tensor_core() == of_tensor_core && overlap(before.cells, now.cells))
        compare(self, all, before, now, owner);
}

}  // namespace aisp::sim::watch
