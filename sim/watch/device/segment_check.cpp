// Accesses of whole warps to shared memory, decided as one.
#include <algorithm>
#include <bit>

#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {

// Whether all lanes know what a whole warp did, whichever of its lanes touched what they touch.
bool GridWatch::knows_warp(const Accessor& who, Actor actor, std::uint32_t time, bool read) const {
  if (actor != who.actor) return knows(who, actor, all_lanes, time, read);
  if (read && time <= who.warp->executed) return true;
  const ClockPtr& clock = who.group->clock;
  return clock && entries_.missing((*clock)[Layer::ordered], actor, all_lanes, time) == 0;
}

// Weak accesses of lanes to their own block's shared memory.
bool GridWatch::can_be_segment(const Page& page, const Region& region, const Accessor& who) const {
  return region.block == who.warp->block && !page.barriers && who.flags == 0 &&
         who.operation == nullptr && !process_.options.uninitialised;
}

// 32 units of `unit` bytes by all lanes, in this order. False: they must be looked at one by one.
bool GridWatch::touch_segment(Page& page, std::uint32_t offset, std::uint32_t unit,
                              const LaneOrder& order, const Accessor& who) {
  Segment* const segment = page.segment(offset, unit);
  if (segment == nullptr || who.read_only || who.texture) return false;
  const Stamp& write = segment->write;
  const bool own = write.actor == who.actor && segment->written == order;
  if (write.actor != 0 && !own && !knows_warp(who, write.actor, write.time, false)) return false;
  const auto readers = std::span(segment->read).first(segment->readers);
  if (who.access == Access::read) {
    const auto before = std::find_if(readers.begin(), readers.end(),
                                     [&](const Reader& one) { return one.actor == who.actor; });
    const auto at = static_cast<std::size_t>(before - readers.begin());
    if (before != readers.end() && segment->order[at] != order) return false;
    if (before != readers.end() && before->time == who.time) return true;
    if (at == Segment::most_readers) return false;
    segment->read[at] = {.actor = who.actor, .time = who.time, .pc = who.pc & 0x7ffffffu};
    segment->order[at] = order;
    if (at == segment->readers) ++segment->readers;
    return true;
  }
  for (std::size_t i = 0; i < readers.size(); ++i)
    if (!(readers[i].actor == who.actor && segment->order[i] == order) &&
        !knows_warp(who, readers[i].actor, readers[i].time, true))
      return false;
  segment->write = {.actor = who.actor, .time = who.time, .pc = who.pc & 0x7ffffffu};
  if (!own) segment->written = order;
  segment->readers = 0;
  return true;
}

// Whatever it met: behind a write, all its cells say the same.
void GridWatch::start_segment(Page& page, std::uint32_t offset, std::uint32_t unit,
                              const LaneOrder& order, const Accessor& who) {
  page.start_segment(offset, unit,
                     {.actor = who.actor, .time = who.time, .pc = who.pc & 0x7ffffffu}, order);
}

}  // namespace aisp::sim::watch
