// Launch control: when a block may ask for another cluster.
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {

// A block that has read once that nothing is left to cancel does not ask again.
void GridWatch::cancel_refused(Warp& warp, Mask) { of(*warp.block).refused_pc = of(warp).pc(); }

// The manual wants the fence for an answer that was only read, too; elsewhere it does not.
void GridWatch::check_answer_fenced(const Region& region, const Reader& reader,
                                    const Accessor& who) {
  if (region.block == nullptr || channel_of(reader.actor) != Channel::lanes ||
      missing(layer_of(who.group->clock, Layer::async_shared), reader.actor, reader.mask,
              reader.time) == 0 ||
      known(HazardRule::cancel_fence, reader.pc, who.pc))
    return;
  add(HazardRule::cancel_fence,
      "try_cancel writes its answer over one that was read, at " + address_text(region),
      "the read went through the generic proxy, the answer comes through the async proxy",
      "fence.proxy.async (or .async::generic with release and acquire) by the threads that have "
      "read the answer, before the barrier behind which the next one is asked for",
      {place_of(reader.actor, std::countr_zero(reader.mask), reader.pc, "read of the answer"),
       place_here(*who.warp, who.lane, who.pc, "try_cancel")},
      reader.pc, who.pc);
}

void GridWatch::cancel_asked(Warp& warp, int lane) {
  const WarpWatch& self = of(warp);
  const std::uint32_t refused = self.block->refused_pc;
  if (refused == 0 || known(HazardRule::cancel_again, refused, self.pc())) return;
  add(HazardRule::cancel_again,
      "clusterlaunchcontrol.try_cancel after the block has read that one found no cluster",
      "what it does then is undefined",
      "leave the loop when query_cancel.is_canceled says false, in the thread that asks as well",
      {place_here(self, -1, refused, "query_cancel.is_canceled"),
       place_here(self, lane, self.pc(), "try_cancel")},
      refused, self.pc());
}

}  // namespace aisp::sim::watch
