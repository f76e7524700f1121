// Accesses compared with what the shadow remembers, cell by cell or in whole rows.
#include <algorithm>
#include <bit>

#include "sim/watch/device/quick_check.hpp"

namespace aisp::sim::watch {
namespace {

std::size_t most_readers(const Region& region) {
  return region.block != nullptr ? most_shared_readers : most_global_readers;
}

Reader reader_of(const Accessor& who, Mask mask) {
  return {.actor = who.actor,
          .time = who.time,
          .mask = mask,
          .pc = who.pc & 0x7ffffffu,
          .flags = static_cast<std::uint32_t>(who.flags & 31)};
}

Stamp stamp_of(const Accessor& who) {
  Stamp stamp;
  stamp.actor = who.actor;
  stamp.time = who.time;
  stamp.pc = who.pc & 0x7ffffffu;
  stamp.lane = static_cast<std::uint32_t>(who.stamp_lane()) & 31;
  stamp.flags = who.flags;
  stamp.seen = who.seen;
  return stamp;
}

bool one_instant(const Stamp& write, const Accessor& who) {
  return write.actor == who.actor && write.time == who.time && write.pc == who.pc;
}

// Two writes that only matter when they leave different bytes: stores of lanes and bulk stores, and
// one load into shared memory that several lanes ask for in one phase. Copies into a buffer that
// is not free are wrong even if they bring the same.
bool harmless_if_equal(const Stamp& write, const Accessor& who) {
  if (who.access != Access::write) return false;
  const auto stores = [](Actor actor) {
    return channel_of(actor) == Channel::lanes || channel_of(actor) == Channel::bulk_write;
  };
  if (stores(write.actor) && stores(who.actor)) return true;
  return channel_of(who.actor) == Channel::mbarrier && one_instant(write, who);
}

}  // namespace

void GridWatch::read_cell(Page& page, Cell& cell, const Region& region, std::uint32_t size,
                          const Accessor& who) {
  if (cell.write.actor != 0) {
    bool fenced = true;
    if (!knows_write(who, cell.write, region.block != nullptr, fenced))
      race(region, size,
           {cell.write.actor, cell.write.time, cell.write.pc, static_cast<int>(cell.write.lane),
            true, fenced},
           who);
    else if (may_be_stale(who, cell.write.actor))
      report_read_only(region, size, cell.write, who);
  } else if (process_.options.uninitialised) {
    check_initialised(region, size, who);
  }
  cell.write.seen |= who.seen;
  add_reader(page, cell, reader_of(who, Mask{1} << who.stamp_lane()), most_readers(region));
}

void GridWatch::write_cell(Page& page, Cell& cell, const Region& region, std::uint32_t size,
                           const Accessor& who) {
  if (cell.write.actor != 0) {
    bool fenced = true;
    if (!knows_write(who, cell.write, region.block != nullptr, fenced)) {
      // Lanes of one instruction that meet at an address: one of them wins, by the rules.
      const bool together =
          who.operation == nullptr && who.access == Access::write && one_instant(cell.write, who);
      if (fenced && !together && harmless_if_equal(cell.write, who))
        suspect(region, size, cell.write, who);
      else if (!together)
        race(region, size,
             {cell.write.actor, cell.write.time, cell.write.pc, static_cast<int>(cell.write.lane),
              true, fenced},
             who);
    }
  }
  const Stamp before = cell.write;
  const auto check_reader = [&](const Reader& reader) {
    if (reader.actor == 0) return;
    const Mask unknown = unknown_readers(who, reader);
    if (unknown == 0 && facts_->cancels[who.pc]) check_answer_fenced(region, reader, who);
    if (unknown == 0) return;
    const int lane = std::countr_zero(unknown);
    race(region, size,
         {reader.actor, reader.time, reader.pc, lane, false, true, unknown,
          is_premature(region, reader, lane, before, who)},
         who);
  };
  check_reader(cell.read);
  if (const auto* more = page.more_or_null(cell))
    for (const Reader& reader : *more) check_reader(reader);
  page.forget_readers(cell);
  cell.write = stamp_of(who);
  cell.write.more = before.more;
  cell.write.seen |= seen_after_write(before.seen);
}

// All lanes, side by side. False: it must be looked at cell by cell.
bool GridWatch::touch_row(Page& page, const Region& region, std::uint32_t offset,
                          std::uint32_t bytes, Accessor& who) {
  if (process_.options.uninitialised) return false;
  if (region.block != nullptr) {
    if (bytes < 4 || offset % (bytes * lanes) != 0 || !can_be_segment(page, region, who))
      return false;
    if (touch_segment(page, offset, bytes, side_by_side, who)) return true;
    touch_neighbours(page, region, offset, bytes, lanes, who);
    if (who.access != Access::read) start_segment(page, offset, bytes, side_by_side, who);
    return true;
  }
  Row* const row = page.row(offset, bytes);
  if (row == nullptr) return false;
  const bool reads = who.access == Access::read;
  const bool same_reader = row->read.actor == who.actor;
  if (reads && same_reader && row->read.time == who.time) return true;
  if (row->write.actor != 0 && row->write.actor != who.actor &&
      (!knows(who, row->write.actor, all_lanes, row->write.time, false) ||
       may_be_stale(who, row->write.actor)))
    return false;
  if (reads) {
    if (row->read.actor != 0 && !same_reader) return false;
    row->read.actor = who.actor;
    row->read.time = who.time;
    row->read.pc = who.pc & 0x7ffffffu;
    return true;
  }
  if (row->read.actor != 0 && !same_reader &&
      !knows(who, row->read.actor, all_lanes, row->read.time, true))
    return false;
  if (row->read.actor != 0) row->write.seen |= seen_read_first;
  row->read = {};
  row->write.actor = who.actor;
  row->write.time = who.time;
  row->write.pc = who.pc & 0x7ffffffu;
  return true;
}

// `count` lanes from who.lane on, each with `bytes` of its own, side by side.
void GridWatch::touch_neighbours(Page& page, const Region& region, std::uint32_t offset,
                                 std::uint32_t bytes, int count, Accessor& who) {
  prepare(page, region, offset, bytes, static_cast<std::uint32_t>(count) * bytes, who);
  touch_cells(page, region, offset, bytes, count, who);
}

// The cells of `count` lanes from who.lane on. A page that is prepared.
void GridWatch::touch_cells(Page& page, Region at, std::uint32_t offset, std::uint32_t bytes,
                            int count, Accessor& who) {
  const std::uint32_t size = 1u << page.shift(), cells = bytes >> page.shift();
  const bool reads = who.access == Access::read;
  const bool is_quick = !process_.options.uninitialised && !facts_->cancels[who.pc];
  const QuickCheck quick(entries_, who, at.block != nullptr);
  Columns cell = page.columns(offset);
  const int first = who.lane;
  const bool may_be_crowded = reads && is_quick && at.block == nullptr;
  if (may_be_crowded && quick.is_crowded(page)) return;
  if (is_quick && (cells == 1 || count == 1)) {
    const int all = count == 1 ? static_cast<int>(cells) : count, step = count == 1 ? 0 : 1;
    const int lane = who.stamp_lane();
    if (reads ? quick.read_alike(cell, all, lane, step) : quick.write_alike(cell, all, lane, step))
      return;
  }
  bool all_crowded = may_be_crowded;
  for (int i = 0; i < count; ++i, ++who.lane)
    for (std::uint32_t j = 0; j < cells; ++j, at.address += size, offset += size, cell.next()) {
      if (may_be_crowded && quick.is_crowded(page, cell)) continue;
      all_crowded = false;
      const int lane = who.stamp_lane();
      if (is_quick && (reads ? quick.read(page, cell, lane) : quick.write(page, cell, lane)))
        continue;
      touch_cell(page, offset, at, who);
    }
  who.lane = first;
  if (all_crowded) page.look_for_crowd(most_global_readers);
}

void GridWatch::touch_cell(Page& page, std::uint32_t offset, const Region& region,
                           const Accessor& who) {
  ++compared_;
  const std::uint32_t size = 1u << page.shift();
  Cell cell = page.cell(offset);
  if (who.access == Access::read)
    read_cell(page, cell, region, size, who);
  else
    write_cell(page, cell, region, size, who);
  page.put(offset >> page.shift(), cell);
}

// Cells fine enough for units of `bytes`, and what concerns all of them.
void GridWatch::prepare(Page& page, const Region& region, std::uint32_t offset, std::uint32_t bytes,
                        std::uint32_t all_bytes, const Accessor& who) {
  page.refine(unit_shift(offset, bytes), offset, all_bytes);
  if (who.access != Access::read) page.forget_crowd();
  if (region.block == nullptr) return;
  if (who.operation != nullptr || who.warp->block != region.block) page.foreign = true;
  if (page.barriers && who.access != Access::read) check_overwritten(region, all_bytes, who);
}

void GridWatch::touch(const Region& region, std::uint64_t bytes, Accessor& who) {
  if (programmatic_ && region.block == nullptr) note_early(region, bytes, who);
  if (region.block == nullptr && has_beside()) compare_beside(region, bytes, who);
  Region at = region;
  while (bytes != 0) {
    const auto offset = static_cast<std::uint32_t>(at.address & (Page::bytes - 1));
    const auto part =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, Page::bytes - offset));
    Page& page = page_of(at);
    prepare(page, at, offset, part, part, who);
    touch_cells(page, at, offset, part, 1, who);
    at.address += part;
    bytes -= part;
  }
}

// All lanes read the same bytes.
void GridWatch::touch_broadcast(const Region& region, std::uint32_t bytes, Accessor who) {
  // They know the same, but the one that wrote it knows that, too: two are asked.
  for (const int lane : {0, lanes - 1}) {
    who.lane = lane;
    touch(region, bytes, who);
  }
  Page& page = page_of(region);
  const std::uint32_t size = 1u << page.shift();
  for (std::uint32_t done = 0; done < bytes; done += size) {
    const auto offset = static_cast<std::uint32_t>(region.address + done) & (Page::bytes - 1);
    Cell cell = page.cell(offset);
    add_reader(page, cell, reader_of(who, all_lanes), most_readers(region));
    page.put(offset >> page.shift(), cell);
  }
}

}  // namespace aisp::sim::watch
