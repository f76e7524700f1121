#include "sim/watch/device/quick_check.hpp"

#include <algorithm>

namespace aisp::sim::watch {
namespace {

const TimesPtr& times_of(const ClockPtr& clock, Layer layer) {
  static const TimesPtr nothing;
  return clock ? (*clock)[layer] : nothing;
}

constexpr auto bits_of_lanes = [] {
  std::array<std::uint64_t, lanes> bits{};
  for (int lane = 0; lane < lanes; ++lane) bits[static_cast<std::size_t>(lane)] = 1ull << lane;
  return bits;
}();

// body(i, bit): each cell with the bit of its lane, in loops that the compiler makes vectors of.
template <class Body>
[[gnu::always_inline]] inline void each_cell(int count, int lane, int step, Body&& body) {
  const std::uint64_t* const bits = bits_of_lanes.data() + lane;
  if (step == 0)
    for (int i = 0; i < count; ++i) body(i, bits[0]);
  else
    for (int i = 0; i < count; ++i) body(i, bits[i]);
}

// The lanes of an instruction mostly stay in a few pages, and neighbours in one.
class LastPage {
 public:
  LastPage(SharedShadow& shadow, int shift) : pages_(shadow.pages().data()), shift_(shift) {}
  // The words of the page that holds this offset; null: it has no cells of this shift.
  [[gnu::always_inline]] std::uint64_t* words_at(std::uint32_t offset) {
    if (const std::uint32_t number = offset >> Page::bits; number != number_) {
      number_ = number;
      page_ = pages_[number].get();
      words_ = page_ != nullptr ? page_->words(shift_) : nullptr;
    }
    return words_;
  }
  bool has_barriers() const { return page_->barriers; }
  const Page& page() const { return *page_; }

 private:
  std::unique_ptr<Page>* pages_;
  int shift_;
  std::uint32_t number_ = ~0u;
  Page* page_ = nullptr;
  std::uint64_t* words_ = nullptr;
};

}  // namespace

QuickCheck::QuickCheck(KnownEntries& entries, const Accessor& who, bool in_shared)
    : entries_(entries),
      who_(who),
      ordered_(times_of(who.group->clock, Layer::ordered)),
      fenced_(times_of(who.group->clock, in_shared ? Layer::async_shared : Layer::async_global)),
      most_(in_shared ? most_shared_readers : most_global_readers),
      instant_(std::uint64_t{who.time} << 32 | who.actor),
      of_lanes_(who.operation == nullptr),
      one_issuer_(channel_of(who.actor) != Channel::mbarrier),
      executed_(of_lanes_ ? who.warp->executed : 0) {
  const std::uint32_t pc = who.pc & 0x7ffffffu;
  const Stamp stamp{.pc = pc, .flags = who.flags, .seen = who.seen};
  stamp_ = std::bit_cast<Words>(stamp)[1];
  seen_ = in_shared ? 0 : stamp_ & seen_bits();  // what footprints need: of global memory
  reader_ = std::bit_cast<Words>(
      Reader{.pc = pc, .flags = static_cast<std::uint32_t>(who.flags & 31)})[1];
}

Mask QuickCheck::read_lanes(SharedShadow& shadow, Mask mask, std::byte* const* at,
                            const std::byte* origin, int shift) const {
  const std::uint64_t instant = instant_, flags = reader_ & reader_flags();
  LastPage last(shadow, shift);
  Mask rest = 0;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto offset = static_cast<std::uint32_t>(at[lane] - origin);
    const std::uint64_t bit = 1ull << lane;
    if (std::uint64_t* const words = last.words_at(offset)) {
      const Columns cell = Page::columns(words, shift, offset & (Page::bytes - 1));
      if (*cell.read == instant && (*cell.reader & (reader_flags() | bit)) == (flags | bit))
        continue;
      if (has_read_beside_others(last.page(), cell, lane)) continue;
    }
    rest |= static_cast<Mask>(bit);
  }
  return rest;
}

// The same as has_read() where the first reader is another one.
bool QuickCheck::has_read_beside_others(const Page& page, const Columns& cell, int lane) const {
  const auto* const others = page.more_or_null(cell);
  return others != nullptr && std::any_of(others->begin(), others->end(), [&](const Reader& one) {
           const Words words = std::bit_cast<Words>(one);
           return words[0] == instant_ && (one.mask >> lane & 1) != 0 &&
                  ((words[1] ^ reader_) & reader_flags()) == 0;
         });
}

Mask QuickCheck::write_lanes(SharedShadow& shadow, Mask mask, std::byte* const* at,
                             const std::byte* origin, int shift) const {
  LastPage last(shadow, shift);
  Mask rest = 0;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto offset = static_cast<std::uint32_t>(at[lane] - origin);
    std::uint64_t* const words = last.words_at(offset);
    if (words == nullptr || last.has_barriers() ||
        !write_own(Page::columns(words, shift, offset & (Page::bytes - 1)), lane))
      rest |= Mask{1} << lane;
  }
  return rest;
}

bool QuickCheck::read_known(Page& page, const Columns& at, int lane) const {
  Stamp write = std::bit_cast<Stamp>(Words{*at.write, *at.stamp});
  if (write.actor != 0 && (who_.read_only || who_.texture || !knows_write(write, lane)))
    return false;
  *at.stamp |= seen_;
  const std::uint64_t bit = 1ull << lane;
  if (*at.read == 0) {
    *at.read = instant_;
    *at.reader = reader_ | bit;
    return true;
  }
  Cell cell{std::bit_cast<Stamp>(Words{*at.write, *at.stamp}),
            std::bit_cast<Reader>(Words{*at.read, *at.reader})};
  add_reader(page, cell, std::bit_cast<Reader>(Words{instant_, reader_ | bit}), most_);
  *at.stamp = std::bit_cast<Words>(cell.write)[1];
  *at.read = std::bit_cast<Words>(cell.read)[0];
  *at.reader = std::bit_cast<Words>(cell.read)[1];
  return true;
}

bool QuickCheck::write_known(Page& page, const Columns& at, int lane) const {
  Cell cell{std::bit_cast<Stamp>(Words{*at.write, *at.stamp}),
            std::bit_cast<Reader>(Words{*at.read, *at.reader})};
  if (cell.write.actor != 0 && !knows_write(cell.write, lane)) return false;
  if (cell.read.actor != 0 && !knows_reader(cell.read, lane)) return false;
  if (const auto* more = page.more_or_null(cell))
    for (const Reader& reader : *more)
      if (!knows_reader(reader, lane)) return false;
  page.forget_readers(cell);
  *at.write = instant_;
  *at.stamp = (stamp_ + static_cast<std::uint64_t>(lane) * lane_step()) |
              seen_after_write(*at.stamp) | (*at.stamp & more_bits());
  *at.read = *at.reader = 0;
  return true;
}

// Strong accesses of lanes that hold each other's thread in their scopes do not race: those of one
// warp, and those of wide scopes. GridWatch::strong_pair() knows the others.
bool QuickCheck::is_strong_pair(std::uint32_t flags, Actor actor) const {
  return (flags & who_.flags & flag_strong) != 0 &&
         (actor == who_.actor ||
          ((flags | who_.flags) & (flag_scope_cta | flag_scope_cluster)) == 0);
}

bool QuickCheck::knows_write(const Stamp& write, int lane) const {
  const Mask bit = Mask{1} << write.lane;
  if (of_lanes_ && ((write.actor == who_.actor && static_cast<int>(write.lane) == lane) ||
                    is_strong_pair(write.flags, write.actor)))
    return true;
  if (!entries_.hold(ordered_.get(), write.actor, bit, write.time) &&
      !did_itself(write.actor, bit, write.time))
    return false;
  // A generic write that the async proxy reads, or overwrites, has to be fenced as well.
  return (who_.flags & flag_async) == 0 || (write.flags & flag_async) != 0 ||
         entries_.hold(fenced_.get(), write.actor, bit, write.time);
}

// What the lane read itself, and what the whole warp read together, is over.
bool QuickCheck::knows_reader(const Reader& read, int lane) const {
  if (of_lanes_ &&
      ((read.actor == who_.actor && (read.mask == Mask{1} << lane || read.time <= executed_)) ||
       is_strong_pair(read.flags, read.actor)))
    return true;
  return entries_.hold(ordered_.get(), read.actor, read.mask, read.time) ||
         did_itself(read.actor, read.mask, read.time);
}

// Writes of one actor at one time: by the lanes themselves, or known of all its lanes.
bool QuickCheck::knows_writes(const Columns& cells, int count, int lane, int step) const {
  const auto actor = static_cast<Actor>(*cells.write);
  const auto time = static_cast<std::uint32_t>(*cells.write >> 32);
  std::uint64_t other_lane = 0, async = ~0ull;
  for (int i = 0; i < count; ++i) {
    other_lane |= cells.stamp[i] ^ (static_cast<std::uint64_t>(lane + i * step) * lane_step());
    async &= cells.stamp[i];
  }
  if (of_lanes_ && actor == who_.actor && (other_lane & lane_bits()) == 0) return true;
  Mask writers = 0;
  for (int i = 0; i < count; ++i)
    writers |= Mask{1} << std::bit_cast<Stamp>(Words{0, cells.stamp[i]}).lane;
  const bool own =
      step == 1 ? (other_lane & lane_bits()) == 0 && each_did_itself(actor, time, count, lane)
                : did_itself(actor, writers, time);
  if (!own && entries_.missing(ordered_, actor, writers, time) != 0) return false;
  return (who_.flags & flag_async) == 0 || (async & async_bit()) != 0 ||
         entries_.missing(fenced_, actor, writers, time) == 0;
}

// Whether of what one actor did at this time each lane knows its own part, because it did, or
// issued and waited for, that itself.
bool QuickCheck::each_did_itself(Actor actor, std::uint32_t time, int count, int lane) const {
  if (index_of(actor) != index_of(who_.warp->actor)) return false;
  if (channel_of(actor) == Channel::lanes) return of_lanes_ || time <= who_.operation->issue_time;
  if (channel_of(actor) != Channel::copy) return false;
  const std::uint32_t* const over =
      (of_lanes_ ? who_.warp->done : who_.operation->done).copy + lane;
  return std::all_of(over, over + count, [&](std::uint32_t known) { return time <= known; });
}

// Whether each cell was read by the lane that touches it now, or issued the copy that did, and by
// no other one.
bool QuickCheck::own_readers(const Columns& cells, int count, int lane, int step) const {
  std::uint64_t other = 0;
  each_cell(count, lane, step, [&](int i, std::uint64_t bit) { other |= cells.reader[i] ^ bit; });
  return static_cast<Mask>(other) == 0;
}

// The same, by the accessor itself.
bool QuickCheck::same_readers(const Columns& cells, int count, int lane, int step) const {
  return static_cast<Actor>(*cells.read) == who_.actor && own_readers(cells, count, lane, step);
}

bool QuickCheck::read_alike(const Columns& cells, int count, int lane, int step) const {
  if (*cells.read == instant_ && one_issuer_) {  // as has_read(), the most frequent by far
    std::uint64_t missing = 0;
    each_cell(count, lane, step, [&](int i, std::uint64_t bit) {
      missing |= (cells.read[i] ^ instant_) | (bit & ~cells.reader[i]) |
                 ((cells.reader[i] ^ reader_) & reader_flags());
    });
    if (seen_ != 0)
      for (int i = 0; i < count; ++i) missing |= ~cells.stamp[i] & seen_;
    if (missing == 0) return true;
  }
  std::uint64_t different = 0;
  for (int i = 0; i < count; ++i)
    different |= (cells.write[i] ^ *cells.write) | (cells.read[i] ^ *cells.read);
  if (different != 0 || *cells.read == instant_) return false;
  if (*cells.write != 0 &&
      (who_.read_only || who_.texture || !knows_writes(cells, count, lane, step)))
    return false;
  if (*cells.read != 0 && !same_readers(cells, count, lane, step)) return false;
  each_cell(count, lane, step, [&](int i, std::uint64_t bit) {
    cells.read[i] = instant_;
    cells.reader[i] = reader_ | bit;
  });
  if (seen_ != 0)
    for (int i = 0; i < count; ++i) cells.stamp[i] |= seen_;
  return true;
}

// Cells that no other lane has touched since the last write, which was the lanes' own.
bool QuickCheck::write_own_alike(const Columns& cells, int count, int lane, int step) const {
  if (!of_lanes_ || static_cast<Actor>(*cells.write) != who_.actor) return false;
  std::uint64_t different = 0, stamps = 0;
  std::uint64_t stamp = stamp_ + static_cast<std::uint64_t>(lane) * lane_step();
  const std::uint64_t next = static_cast<std::uint64_t>(step) * lane_step();
  for (int i = 0; i < count; ++i) {
    different |= (cells.write[i] ^ *cells.write) | cells.read[i];
    stamps |= (cells.stamp[i] ^ (stamp + static_cast<std::uint64_t>(i) * next)) &
              (lane_bits() | more_bits());
  }
  if (different != 0 || stamps != 0) return false;
  for (int i = 0; i < count; ++i) {
    cells.write[i] = instant_;
    cells.stamp[i] = stamp | seen_after_write(cells.stamp[i]);
    stamp += next;
  }
  return true;
}

bool QuickCheck::write_alike(const Columns& cells, int count, int lane, int step) const {
  if (write_own_alike(cells, count, lane, step)) return true;
  std::uint64_t different = 0, more = 0, readers = 0;
  for (int i = 0; i < count; ++i) {
    different |= (cells.write[i] ^ *cells.write) | (cells.read[i] ^ *cells.read);
    more |= cells.stamp[i];
    readers |= cells.reader[i];
  }
  if (different != 0 || (more & more_bits()) != 0) return false;
  if (*cells.write != 0 && !knows_writes(cells, count, lane, step)) return false;
  if (const std::uint64_t read = *cells.read; read != 0) {
    const auto actor = static_cast<Actor>(read);
    const auto time = static_cast<std::uint32_t>(read >> 32);
    const bool over = of_lanes_ && actor == who_.actor && time <= executed_;
    if (!over && !(of_lanes_ && same_readers(cells, count, lane, step)) &&
        !(step == 1 && each_did_itself(actor, time, count, lane) &&
          own_readers(cells, count, lane, step)) &&
        !(step == 0 && did_itself(actor, static_cast<Mask>(readers), time)) &&
        entries_.missing(ordered_, actor, static_cast<Mask>(readers), time) != 0)
      return false;
  }
  std::uint64_t stamp = stamp_ + static_cast<std::uint64_t>(lane) * lane_step();
  const std::uint64_t next = static_cast<std::uint64_t>(step) * lane_step();
  for (int i = 0; i < count; ++i, stamp += next) {
    cells.write[i] = instant_;
    cells.stamp[i] = stamp | seen_after_write(cells.stamp[i]);
    cells.read[i] = cells.reader[i] = 0;
  }
  return true;
}

}  // namespace aisp::sim::watch
