// Uses of tensor memory, compared with those before when they are issued: with what the issuing
// thread knows then.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

bool in_layers(const ClockPtr& clock, Actor actor, Mask mask, std::uint32_t time) {
  if (!clock) return false;
  mask = missing((*clock)[Layer::ordered], actor, mask, time);
  return mask == 0 || missing((*clock)[Layer::tensor], actor, mask, time) == 0;
}

// That some of these lanes came so far, by a relaxed operation or another one. Of what a whole warp
// has done any of its lanes may have told.
bool told_by_any(const ClockPtr& clock, Actor actor, Mask mask, std::uint32_t time) {
  for (const Layer layer : {Layer::ordered, Layer::tensor, Layer::performed})
    if (missing(layer_of(clock, layer), actor, mask, time) != mask) return true;
  return false;
}

// That it is over: a commit, or a wait of its warp, has been heard of.
bool known_over(const WarpWatch& self, const ClockPtr& clock, const TensorRecord& before) {
  const bool own = index_of(before.actor) == index_of(self.actor);
  switch (channel_of(before.actor)) {
    case Channel::tensor_load:
      if (own && before.time <= self.tensor_loaded) return true;
      break;
    case Channel::tensor_store:
      if (own && before.time <= self.tensor_stored) return true;
      break;
    case Channel::lanes:  // an allocation, which is synchronous: that its warp went on is enough
      return own || told_by_any(clock, before.actor, all_lanes, before.time);
    default:
      break;
  }
  return in_layers(clock, before.actor, before.bit(), before.time);
}

// That it was issued before. Of products, copies and shifts that is enough where the tensor core
// runs the two in the order of their issue.
bool known_issued(const ClockPtr& clock, const TensorRecord& before) {
  const Actor issuer = actor_of(index_of(before.actor), Channel::lanes);
  if (before.of_tensor_core()) return in_layers(clock, issuer, before.bit(), before.issue_time);
  return told_by_any(clock, issuer, all_lanes, before.issue_time);
}

// All registers of the load have been read, and the thread knows of the instructions that did: each
// of them waited for the load.
bool registers_read(const WarpWatch& self, const ClockPtr& clock, const TensorRecord& before) {
  if (!before.registers) return false;
  const bool own = index_of(before.actor) == index_of(self.actor);
  const Actor issuer = actor_of(index_of(before.actor), Channel::lanes);
  const auto& reads = before.registers->reads;
  return std::all_of(reads.begin(), reads.end(), [&](const LoadRegisters::Read& read) {
    return read.lanes != 0 && (own || told_by_any(clock, issuer, read.lanes, read.time));
  });
}

enum class Pipeline {
  none,      // the first must be over
  in_order,  // as the manual says
  formal,    // of one thread: not by the manual, and hardware keeps the order
};

Pipeline pipeline_of(const TensorRecord& before, const TensorRecord& now) {
  if (!before.of_tensor_core() || !now.of_tensor_core()) return Pipeline::none;
  const bool same_thread = before.same_thread(now);
  const bool products = before.deed == TensorDeed::product && now.deed == TensorDeed::product;
  if (products) {
    if (before.form != 0 && before.form == now.form) return Pipeline::in_order;
    if (!same_thread) return Pipeline::none;
    // Written over what an earlier product reads: libraries count on the order.
    return before.wrote ? Pipeline::formal : Pipeline::in_order;
  }
  if (now.deed == TensorDeed::product) return Pipeline::in_order;  // behind cp and shift
  if (before.deed == TensorDeed::product && now.deed == TensorDeed::shift)
    return Pipeline::in_order;
  if (before.deed == TensorDeed::shift && now.deed == TensorDeed::copy) return Pipeline::in_order;
  // The manual leaves mma -> cp out, libraries refill scales behind the products that read them.
  return same_thread ? Pipeline::in_order : Pipeline::none;
}

}  // namespace

const WarpWatch* GridWatch::warp_of(const BlockWatch& near, Actor actor) const {
  for (const WarpWatch& warp : near.cluster->warps)
    if (index_of(warp.actor) == index_of(actor)) return &warp;
  return nullptr;
}

void GridWatch::compare(const WarpWatch& self, const Group& group, const TensorRecord& before,
                        const TensorRecord& now, const BlockWatch& owner) {
  if (known_over(self, group.clock, before)) return;
  const Pipeline pipeline = pipeline_of(before, now);
  if (pipeline != Pipeline::none) {
    if (pipeline == Pipeline::formal)
      return report_tensor(HazardRule::tensor_pipeline, self, group, before, now, owner);
    if (before.same_thread(now) || known_issued(group.clock, before)) return;
  }
  // A relaxed operation has told of it, only the fence beside it is missing.
  const auto told = [&](const ClockPtr& clock) {
    if (!clock) return false;
    const auto in = [&](Actor actor, std::uint32_t time) {
      return in_layers(clock, actor, before.bit(), time) ||
             missing((*clock)[Layer::performed], actor, before.bit(), time) == 0;
    };
    return in(before.actor, before.time) ||
           (pipeline == Pipeline::in_order &&
            in(actor_of(index_of(before.actor), Channel::lanes), before.issue_time));
  };
  const WarpWatch* const issuer = warp_of(owner, before.actor);
  const auto waited = [&](const WarpWatch& warp) {
    return before.time <=
           (before.deed == TensorDeed::load ? warp.tensor_loaded : warp.tensor_stored);
  };
  // tcgen05.dealloc is synchronous: the thread goes on to it when it has been told.
  const bool frees = channel_of(now.actor) == Channel::lanes;
  const bool same_block = issuer != nullptr && issuer->block == self.block && &owner == self.block;
  HazardRule rule = HazardRule::tensor_race;
  if (told(group.clock) || told(group.seen)) {
    if (frees) return;
    rule = same_block || before.deed == TensorDeed::load ? HazardRule::tensor_fence_block
                                                         : HazardRule::tensor_fence;
  } else if (before.of_tensor_core()) {
    rule = HazardRule::tensor_commit;
  } else if (channel_of(before.actor) != Channel::lanes && issuer != nullptr &&
             (!waited(*issuer) || known_issued(group.clock, before))) {
    // Or it came too late for those who were told.
    rule = before.deed == TensorDeed::load && registers_read(self, group.clock, before)
               ? HazardRule::tensor_wait_read
               : HazardRule::tensor_wait;
  }
  const bool ordered_by_nothing = rule == HazardRule::tensor_race ||
                                  rule == HazardRule::tensor_wait ||
                                  rule == HazardRule::tensor_wait_read;
  const bool premature = ordered_by_nothing && is_premature_load(owner, before, now);
  report_tensor(premature ? HazardRule::tensor_commit : rule, self, group, before, now, owner,
                premature);
}

// A tcgen05.ld of what the product is to write, by a warp that knows neither of this product nor of
// an earlier one in these cells: the load comes too early, and not the product.
bool GridWatch::is_premature_load(const BlockWatch& owner, const TensorRecord& before,
                                  const TensorRecord& now) const {
  if (before.deed != TensorDeed::load || channel_of(before.actor) == Channel::lanes) return false;
  if (now.deed != TensorDeed::product || !now.of_tensor_core() || !now.wrote) return false;
  if (owner.tensor.content.has_unwritten(before.cells)) return true;
  const WarpWatch* const warp = warp_of(owner, before.actor);
  if (warp == nullptr) return false;
  for (const TensorRecord& record : owner.tensor.records())
    if (record.wrote && record.of_tensor_core() && overlap(record.cells, before.cells) &&
        !known_over(*warp, group_of(*warp, 0).clock, record))
      return true;
  return false;
}

void GridWatch::tensor_used(Warp& warp, int lane, const TensorUse& use) {
  WarpWatch& self = of(warp);
  BlockWatch& owner = of(*use.block);
  TensorRecord now{.cells = use.cells,
                   .issue_time = self.now,
                   .pc = self.pc(),
                   .lane = std::max(lane, 0),
                   .deed = use.deed,
                   .wrote = use.access != Access::read,
                   .form = use.form,
                   .operand = use.operand};
  if (use.deed == TensorDeed::load) {
    now.actor = self.own(Channel::tensor_load);
    now.time = ++self.tensor_loads;
    now.registers = self.last_load;
  } else if (use.deed == TensorDeed::store) {
    now.actor = self.own(Channel::tensor_store);
    now.time = ++self.tensor_stores;
  } else {
    now.actor = self.own(Channel::product);
    now.time = self.products + 1;  // issued() counts it
    check_group(self, lane, use.pair, "tcgen05.mma, cp or shift");
  }
  self.tensor_used_at = self.now;
  if (use.foreign_quarter >= 0) check_quarter(self, use);
  check_live(self, lane, use);
  for (const TensorRecord& before : owner.tensor.records()) {
    if ((!before.wrote && !now.wrote) || !overlap(before.cells, now.cells)) continue;
    if (before.actor == now.actor && before.time == now.time) continue;  // the same instruction
    if (lane >= 0)
      compare(self, group_of(self, lane), before, now, owner);
    else
      for (const Group& group : self.groups)
        if ((group.mask & warp.alive) != 0) compare(self, group, before, now, owner);
  }
  follow_content(self, lane, use);
  owner.tensor.enter(now);
}

void GridWatch::tensor_waited(Warp& warp, bool stores) {
  WarpWatch& self = of(warp);
  if (stores)
    self.tensor_stored = self.tensor_stores;
  else
    self.tensor_loaded = self.tensor_loads;
  if (!stores) self.load_holders.clear();
}

// What an undefined operand leads to is reported where a result of it is read.
void GridWatch::follow_content(const WarpWatch& self, int lane, const TensorUse& use) {
  TensorContent& content = of(*use.block).tensor.content;
  switch (use.deed) {
    case TensorDeed::load:
      return check_defined(self, use);
    case TensorDeed::store:
    case TensorDeed::copy:
      return content.define(use.cells);
    case TensorDeed::shift:
      return content.shift_down(use.cells);
    case TensorDeed::product:
      break;
  }
  const UndefinedOperand by{
      .operand = use.operand, .actor = self.actor, .lane = lane, .pc = self.pc()};
  if (*use.operand == 'D') return content.compute(use, by);
  content.feed(use, by);
  if (use.access == Access::write) content.shift_down(use.cells);  // .ashift
}

void GridWatch::check_defined(const WarpWatch& self, const TensorUse& use) {
  const UndefinedOperand* const by = of(*use.block).tensor.content.undefined(use.cells);
  if (by == nullptr || known(HazardRule::tensor_unwritten, by->pc, self.pc())) return;
  const std::string cells = say(by->operand, " in ", cells_text(by->cells));
  add(HazardRule::tensor_unwritten,
      say("tcgen05.ld reads ", cells_text(use.cells), ", where a tcgen05.mma has used ", cells,
          ", which no instruction has written since tcgen05.alloc"),
      "tensor memory holds whatever was left there by others, and the result depends on it",
      *by->operand == 'D'
          ? "enable-input-d false for the first product of an accumulator, or fill it with "
            "tcgen05.st"
          : "write it first; scales have a copy in all four quarters of the lanes (tcgen05.cp "
            ".warpx4)",
      {place_of(by->actor, by->lane, by->pc, say("tcgen05.mma that reads ", cells)),
       place_here(self, -1, self.pc(), "tcgen05.ld of its result")},
      by->pc, self.pc());
}

// Columns that the block does not have, or has given back.
void GridWatch::check_live(const WarpWatch& self, int lane, const TensorUse& use) {
  const TensorShare& share = use.block->tensor;
  const TensorRange columns{use.cells.column, use.cells.columns};
  if (is_live(share, columns) || known(HazardRule::tensor_allocation, self.pc(), 0)) return;
  const std::string what = name_of(use.deed);
  add(HazardRule::tensor_allocation,
      say(what, " of columns ", columns.first, "-", columns.first + columns.count - 1,
          " of tensor memory: the block has allocated ", columns_text(share)),
      "columns that a block has given back, or never had, may belong to another block",
      "the address that tcgen05.alloc gave and its number of columns in every use and in "
      "one tcgen05.dealloc, which is ordered behind all of them",
      {place_here(self, lane, self.pc(), what)}, self.pc(), 0);
}

void GridWatch::check_quarter(const WarpWatch& self, const TensorUse& use) {
  if (known(HazardRule::tensor_quarter, self.pc(), 0)) return;
  const int own = self.warp->index % tensor_quarters;
  const char* const what = use.deed == TensorDeed::load ? "tcgen05.ld" : "tcgen05.st";
  add(HazardRule::tensor_quarter,
      say(what, " of warp ", self.warp->index, " names lanes ", 32 * use.foreign_quarter, "-",
          32 * use.foreign_quarter + 31, ", and reaches lanes ", 32 * own, "-", 32 * own + 31),
      "a warp reaches the quarter of its number modulo 4, and no other",
      "the lane 32 * (warp % 4) in the address, or 0; let the warp of that quarter do it",
      {place_here(self, -1, self.pc(), what)}, self.pc(), 0);
}

}  // namespace aisp::sim::watch
