// What a block leaves behind: shared memory that others still use, copies under way, registers.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

bool covered(const ClockPtr& clock, Actor actor, Mask mask, std::uint32_t time, bool read) {
  mask = missing(layer_of(clock, Layer::ordered), actor, mask, time);
  if (mask != 0 && read) mask = missing(layer_of(clock, Layer::performed), actor, mask, time);
  return mask == 0;
}

// Asynchronous work whose end a block must have seen before it goes. Copies of its own by cp.async
// and products end with it.
bool must_be_seen(const BlockWatch& block, Actor actor) {
  switch (channel_of(actor)) {
    case Channel::mbarrier:
    case Channel::bulk_read:
      return true;
    case Channel::lanes:
    case Channel::copy:
    case Channel::product:
      return !block.holds(actor);
    default:
      return false;
  }
}

}  // namespace

void GridWatch::lanes_left(Warp& warp, Mask mask) {
  WarpWatch& self = of(warp);
  BlockWatch& block = *self.block;
  block.at_exit = join(block.at_exit, release(self, mask));
  const Block& left = *warp.block;
  if (left.exited + static_cast<std::uint32_t>(std::popcount(mask)) != left.threads) return;
  block_exits(block);
  if (record_->operation) record_->told = join(record_->told, block.at_exit);
  block.exited = true;
}

void GridWatch::block_exits(BlockWatch& block) {
  settle_write();
  ++writes_;  // what repeats a read of its shared memory now is an error
  touched_.released_early |= programmatic_ && !block.waited_for_grid;
  check_registers(block);
  check_peer_freed(block);
  const auto report = [&](Actor actor, int lane, std::uint32_t time, std::uint32_t pc, bool wrote,
                          std::uint64_t address) {
    const bool remote = channel_of(actor) != Channel::mbarrier && !block.holds(actor);
    const bool own_store = !remote && channel_of(actor) == Channel::bulk_read;
    const HazardRule rule = own_store ? HazardRule::store_at_exit : HazardRule::early_exit;
    const FindingNumber from =
        is_root(rule, pc, 0) ? no_finding : root_of_exit(block, actor, lane, time, pc);
    if (known(rule, pc, 0, Reach::unknown, from)) return;
    const Region region{&block, address};
    FindingPlace exits =
        place_of(actor_of(block.first_warp, Channel::lanes), -1, 0, "the block exits");
    exits.warp = -1;
    FindingPlace use =
        place_of(actor, lane, pc, say(wrote ? "write of" : "read of", " its shared memory"));
    use.address = address_text(region);
    add(rule,
        remote ? "a block exits while another one may still use its shared memory"
               : "a block exits while a bulk copy may still use its shared memory",
        remote ? "nothing orders that access before the exit"
               : "the end of the copy has not been waited for",
        remote ? "a cluster barrier (barrier.cluster.arrive and .wait) after the last access and "
                 "before the exit"
               : "cp.async.bulk.wait_group.read 0 for stores, a wait on the mbarrier's phase for "
                 "loads, before the exit",
        {std::move(use), std::move(exits)}, pc, 0, Reach::unknown, "", false, from);
  };
  auto& pages = block.shadow.pages();
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (!pages[i] || !pages[i]->foreign) continue;
    Page& page = *pages[i];
    page.refine(Page::coarsest);
    for (std::size_t j = 0; j < page.cells(); ++j) {
      const Cell& cell = page.at(j);
      const std::uint64_t address = (i << Page::bits) + (j << page.shift());
      const auto check_reader = [&](const Reader& reader) {
        if (reader.actor != 0 && must_be_seen(block, reader.actor) &&
            !covered(block.at_exit, reader.actor, reader.mask, reader.time, true))
          report(reader.actor, std::countr_zero(reader.mask), reader.time, reader.pc, false,
                 address);
      };
      const Stamp& write = cell.write;
      if (write.actor != 0 && must_be_seen(block, write.actor) &&
          !covered(block.at_exit, write.actor, Mask{1} << write.lane, write.time, false))
        report(write.actor, static_cast<int>(write.lane), write.time, write.pc, true, address);
      check_reader(cell.read);
      if (const auto* more = page.more_or_null(cell))
        for (const Reader& reader : *more) check_reader(reader);
    }
  }
  for (const auto& [offset, barrier] : block.mbarriers)
    for (const BarrierEvent& arrival : barrier.remote)
      if (!covered(block.at_exit, arrival.actor, arrival.mask, arrival.time, true))
        report(arrival.actor, std::countr_zero(arrival.mask), arrival.time, arrival.pc, true,
               offset);
}

void GridWatch::report_use_after_exit(const Region& region, const Accessor& who) {
  const bool own_store = who.operation != nullptr && who.operation->kind == AsyncKind::bulk_store &&
                         region.block == who.warp->block;
  const HazardRule rule = own_store ? HazardRule::store_at_exit : HazardRule::early_exit;
  FindingNumber from = no_finding;
  if (who.operation != nullptr && !is_root(rule, who.pc, 0))
    from = root_of_exit(*region.block, who.actor, who.stamp_lane(), who.time, who.pc);
  if (known(rule, who.pc, 0, Reach::unknown, from)) return;
  FindingPlace use = who.operation != nullptr || who.warp == nullptr
                         ? place_of(who.actor, who.lane, who.pc, "use of shared memory")
                         : place_here(*who.warp, who.lane, who.pc, "use of shared memory");
  use.address = address_text(region);
  add(rule,
      own_store ? "a bulk store reads its source after its block has exited"
                : "shared memory of a block that has exited is used",
      "the block it belongs to has left, and its shared memory may belong to another one",
      own_store
          ? "cp.async.bulk.wait_group.read 0 by the thread that started the store, before the "
            "exit"
          : "a cluster barrier (barrier.cluster.arrive and .wait) after the last access and "
            "before the exit",
      {std::move(use)}, who.pc, 0, Reach::unknown, "", false, from);
}

void GridWatch::registers_changed(Warp& warp, bool increase, std::uint32_t count) {
  WarpWatch& self = of(warp);
  // What the launch gave is the assembler's choice: only a second change can be judged.
  const std::uint32_t before = self.register_count;
  const bool wrong_way = before != 0 && (increase ? count < before : count > before);
  if (wrong_way && !known(HazardRule::register_budget, self.pc(), 1))
    add(HazardRule::register_budget,
        say("setmaxnreg.", increase ? "inc" : "dec", " to ", count, " registers from ", before),
        "inc must not lower the count, dec must not raise it",
        "use the other form, or another count", {place_here(self, -1, self.pc(), "setmaxnreg")},
        self.pc(), 1);
  self.register_count = count;
  self.register_pc = self.pc();
}

// Registers of a thread as the launch gives them to a kernel that uses setmaxnreg: what its bounds
// allow. 0: nothing is said.
std::uint32_t GridWatch::launched_registers() const {
  const Routine& kernel = *grid_.kernel;
  if (kernel.max_registers != 0) return static_cast<std::uint32_t>(kernel.max_registers);
  const int threads =
      kernel.max_threads != 0
          ? kernel.max_threads
          : kernel.required_threads[0] * kernel.required_threads[1] * kernel.required_threads[2];
  if (threads == 0) return 0;
  const int blocks = std::max(kernel.min_blocks, 1);
  const int each = grid_.device->registers_per_sm / (blocks * ((threads + 31) / 32 * 32)) / 8 * 8;
  return static_cast<std::uint32_t>(std::min(each, 256));
}

void GridWatch::check_registers(BlockWatch& block) {
  const std::uint32_t each = launched_registers();
  std::uint32_t sum = 0, pool = 0;
  const WarpWatch* largest = nullptr;
  for (const auto& warp : block.block->warps) {
    const WarpWatch& watched = of(*warp);
    sum += watched.register_count != 0 ? watched.register_count : each;
    pool += each;
    if (watched.register_count != 0 &&
        (largest == nullptr || watched.register_count > largest->register_count))
      largest = &watched;
  }
  if (largest == nullptr || each == 0 || sum <= pool) return;
  if (known(HazardRule::register_budget, largest->register_pc, 0)) return;
  add(HazardRule::register_budget,
      say("the warps of a block ask for ", sum * lanes, " registers, the launch gives ",
          pool * lanes, " (", each, " per thread)"),
      "setmaxnreg.inc takes from what other warps gave back; it waits for ever where there is not "
      "enough",
      "lower the counts, or let other warps give back more with setmaxnreg.dec",
      {place_here(*largest, -1, largest->register_pc,
                  say("setmaxnreg to ", largest->register_count))},
      largest->register_pc, 0);
}

}  // namespace aisp::sim::watch
