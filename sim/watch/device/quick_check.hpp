// The accesses that need no report, decided inside the loops over cells: a cell that the same lane
// touched last, or whose last write and readers are known through an entry that was looked up
// before. Everything that is not decided here goes to read_cell() and write_cell().
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {

// Readers of a cell in global memory beyond these are not told apart: inputs that every block reads
// would fill the shadow with them.
inline constexpr std::size_t most_global_readers = 4, most_shared_readers = 96;

// The same lanes read again: their earlier read no longer matters. Lanes that read in one instant
// are one entry if they do so with one instruction, or where there is no room for more.
inline bool supersede(Reader& old, const Reader& now, bool room) {
  if (old.actor != now.actor) return false;
  if (old.time == now.time && old.flags == now.flags) {
    if (room && old.pc != now.pc && (now.mask & ~old.mask) != 0) return false;
    old.mask |= now.mask;
    return true;
  }
  old.mask &= ~now.mask;
  if (old.mask != 0) return false;
  old = now;
  return true;
}

inline void add_reader(Page& page, Cell& cell, const Reader& now, std::size_t most) {
  if (cell.read.actor == 0) {
    cell.read = now;
    return;
  }
  const auto* others = page.more_or_null(cell);
  const bool room = most > most_global_readers && (others == nullptr || others->size() < most / 2);
  if (supersede(cell.read, now, room)) return;
  auto& more = page.more(cell);
  for (Reader& reader : more)
    if (supersede(reader, now, room)) return;
  if (more.size() < most) more.push_back(now);
}

// One instruction, or one asynchronous operation, on its way over the cells that it touches. `lane`
// is that of the first cell; `step` is 1 where each cell belongs to the next lane, and 0 where all
// belong to one.
class QuickCheck {
 public:
  QuickCheck(KnownEntries& entries, const Accessor& who, bool in_shared);

  // True: nothing is left to do. For one cell ...
  [[gnu::always_inline]] bool read(Page& page, const Columns& cell, int lane) const {
    return (one_issuer_ && has_read(cell, lane)) || read_known(page, cell, lane);
  }
  [[gnu::always_inline]] bool write(Page& page, const Columns& cell, int lane) const {
    return (of_lanes_ && write_own(cell, lane)) || write_known(page, cell, lane);
  }
  // Whether nothing has written the cell, and as many others have read it as are told apart: a read
  // of any lane leaves it as it is. What inputs that every warp reads come to.
  bool is_crowded(const Page& page, const Columns& cell) const {
    const auto* const more = page.more_or_null(cell);
    if (*cell.write != 0 || more == nullptr || more->size() < most_ ||
        (~*cell.stamp & seen_) != 0 || static_cast<Actor>(*cell.read) == who_.actor)
      return false;
    bool own = false;
    for (const Reader& reader : *more) own |= reader.actor == who_.actor;
    return !own;
  }
  // ... for one cell of `1 << shift` bytes of each lane, scattered: the lanes that are left ...
  Mask read_lanes(SharedShadow& shadow, Mask mask, std::byte* const* at, const std::byte* origin,
                  int shift) const;
  Mask write_lanes(SharedShadow& shadow, Mask mask, std::byte* const* at, const std::byte* origin,
                   int shift) const;
  // ... the same of a whole page ...
  bool is_crowded(const Page& page) const { return page.is_crowded(who_.actor, seen_); }
  // ... and for `count` neighbours that have all been touched alike before.
  bool read_alike(const Columns& cells, int count, int lane, int step) const;
  bool write_alike(const Columns& cells, int count, int lane, int step) const;

 private:
  // Whether the lane has read the cell in this instant already: nothing can have changed, a write
  // would have cleared it. Copies that end at one mbarrier may be issued by threads that know
  // different things, so of those each is compared.
  [[gnu::always_inline]] bool has_read(const Columns& cell, int lane) const {
    return *cell.read == instant_ && (*cell.reader >> lane & 1) != 0 &&
           ((*cell.reader ^ reader_) & reader_flags()) == 0 && (~*cell.stamp & seen_) == 0;
  }
  // Writes a cell that no other lane has touched; false: it is none.
  [[gnu::always_inline]] bool write_own(const Columns& cell, int lane) const {
    const std::uint64_t stamp = stamp_ + static_cast<std::uint64_t>(lane) * lane_step();
    const bool own =
        static_cast<Actor>(*cell.write) == who_.actor && ((*cell.stamp ^ stamp) & lane_bits()) == 0;
    if (*cell.read != 0 || (*cell.stamp & more_bits()) != 0 || !(*cell.write == 0 || own))
      return false;
    *cell.write = instant_;
    *cell.stamp = stamp | seen_after_write(*cell.stamp);
    return true;
  }
  bool has_read_beside_others(const Page& page, const Columns& cell, int lane) const;
  bool read_known(Page& page, const Columns& cell, int lane) const;
  bool write_known(Page& page, const Columns& cell, int lane) const;
  bool write_own_alike(const Columns& cells, int count, int lane, int step) const;
  bool is_strong_pair(std::uint32_t flags, Actor actor) const;
  bool knows_write(const Stamp& write, int lane) const;
  bool knows_writes(const Columns& cells, int count, int lane, int step) const;
  bool knows_reader(const Reader& read, int lane) const;
  bool same_readers(const Columns& cells, int count, int lane, int step) const;
  bool own_readers(const Columns& cells, int count, int lane, int step) const;
  bool each_did_itself(Actor actor, std::uint32_t time, int count, int lane) const;
  bool did_itself(Actor actor, Mask mask, std::uint32_t time) const {
    return index_of(actor) == index_of(who_.warp->actor) && channel_of(actor) < Channel::mbarrier &&
           not_own(who_, actor, mask, time) == 0;
  }

  static std::uint64_t lane_step() { return std::bit_cast<Words>(Stamp{.lane = 1})[1]; }
  static std::uint64_t lane_bits() { return std::bit_cast<Words>(Stamp{.lane = lanes - 1})[1]; }
  static std::uint64_t more_bits() { return std::bit_cast<Words>(Stamp{.more = 0xffff})[1]; }
  static std::uint64_t seen_bits() { return std::bit_cast<Words>(Stamp{.seen = 0xff})[1]; }
  // The part of a stamp that a write keeps, as watch::seen_after_write() has it.
  static std::uint64_t seen_after_write(std::uint64_t stamp) {
    constexpr int weak_read = std::countr_zero(unsigned{how_weak}) + seen_reads_shift;
    constexpr int up = std::countr_zero(unsigned{seen_read_first}) - weak_read;
    const std::uint64_t was_read = std::bit_cast<Words>(Stamp{.seen = 1u << weak_read})[1];
    return (stamp & seen_bits()) | (stamp & was_read) << up;
  }
  static std::uint64_t async_bit() { return std::bit_cast<Words>(Stamp{.flags = flag_async})[1]; }
  static std::uint64_t reader_flags() { return std::bit_cast<Words>(Reader{.flags = 31})[1]; }

  KnownEntries& entries_;
  const Accessor& who_;
  const TimesPtr &ordered_, &fenced_;
  const std::size_t most_;
  const std::uint64_t instant_;  // actor and time
  std::uint64_t stamp_, reader_, seen_;
  const bool of_lanes_, one_issuer_;
  const std::uint32_t executed_;
};

}  // namespace aisp::sim::watch
