// Vector clocks. Actors are not threads one by one: a warp's lanes share a counter, and an entry
// says for which of them something is known. What is shared is never changed, only replaced.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/program/op.hpp"

namespace aisp::sim::watch {

// Who acts: index of a warp in its grid, or of an mbarrier, and what of it.
enum class Channel : std::uint8_t {
  lanes,         // instructions of the warp's lanes; time: the warp's counter
  copy,          // cp.async; time: order of issue in the warp
  bulk_read,     // bulk stores of a lane, reading their source
  bulk_write,    // ... writing their destination
  product,       // wgmma; of the whole warp, mask 1. tcgen05.mma, cp, shift: of the lane
  tensor_load,   // tcgen05.ld; of the whole warp, mask 1
  tensor_store,  // tcgen05.st; the same
  mbarrier,      // what is announced at an mbarrier, mask 1; time: number of the phase
  grid_ahead,    // the kernel before a programmatic launch, mask 1
};
using Actor = std::uint32_t;  // 0: nobody
inline constexpr int channel_bits = 4;
constexpr Actor actor_of(std::uint32_t index, Channel channel) {
  return (index + 1) << channel_bits | static_cast<Actor>(channel);
}
constexpr Channel channel_of(Actor actor) {
  return static_cast<Channel>(actor & ((1u << channel_bits) - 1));
}
constexpr std::uint32_t index_of(Actor actor) { return (actor >> channel_bits) - 1; }

// What these lanes of the actor did up to and including `time` is known.
struct Entry {
  Actor actor = 0;
  Mask mask = 0;
  std::uint32_t time = 0;
  bool operator==(const Entry&) const = default;
};

// Sorted by actor; of one actor the later first, with masks that do not overlap.
struct Entries : std::vector<Entry> {
  std::uint64_t name = 0;  // no two have the same: what is known of a pair may be kept
};

// Of a whole grid's warps, in pieces that clocks have in common: two that met at a barrier differ
// in the few warps that have gone on since, and are copied and joined at the cost of those.
struct Times {
  static constexpr int piece_bits = 6 + channel_bits;  // 64 warps with their channels
  struct Piece {
    std::uint32_t number = 0;  // actor >> piece_bits
    std::shared_ptr<const Entries> entries;
  };
  std::vector<Piece> pieces;  // sorted by number
  // Those that the actor would be among; null: there are none.
  const Entries* entries_near(Actor actor) const;
  // Lanes of `mask` of which `time` is not known.
  Mask missing(Actor actor, Mask mask, std::uint32_t time) const;
};
using TimesPtr = std::shared_ptr<const Times>;  // null: nothing is known

TimesPtr join(const TimesPtr& a, const TimesPtr& b);
TimesPtr with(const TimesPtr& a, std::vector<Entry> more);  // `more` in any order
inline Mask missing(const TimesPtr& times, Actor actor, Mask mask, std::uint32_t time) {
  return times ? times->missing(actor, mask, time) : mask;
}

// Entries that were looked up last: the cells of an instruction mostly need the same few.
class KnownEntries {
 public:
  bool hold(const Times* times, Actor actor, Mask mask, std::uint32_t time) const {
    const Slot& slot = slots_[slot_of(times, actor)];
    return slot.times.get() == times && slot.entry.actor == actor && slot.entry.time >= time &&
           (mask & ~slot.entry.mask) == 0;
  }
  // As missing(), and remembers the entry that settles it.
  Mask missing(const TimesPtr& times, Actor actor, Mask mask, std::uint32_t time);

 private:
  struct Slot {
    TimesPtr times;  // held, so that no other clock can have its address
    Entry entry;
  };
  static constexpr std::size_t count = 64;
  static std::size_t slot_of(const Times* times, Actor actor) {
    return (reinterpret_cast<std::uintptr_t>(times) / 32 + (actor >> channel_bits) + actor) % count;
  }
  std::array<Slot, count> slots_;
};

// Ways in which something can be known.
enum class Layer : std::uint8_t {
  ordered,       // happens before
  performed,     // reads that are over: enough to overwrite what was read
  async_shared,  // writes to shared memory fenced for the async proxy
  async_global,
  init,          // initialisations of mbarriers fenced for the async proxy
  map_released,  // writes to tensor maps released to the tensormap proxy
  map_visible,   // ... and acquired there
  tensor,        // of tensor memory, passed on by tcgen05.fence beside relaxed operations
  fenced,        // fenced for the GPU, and passed on by relaxed writes without a fence of their own
  observed,      // would happen before if relaxed reads of flags and counters were acquires
  count,
};

struct Clock {
  std::array<TimesPtr, static_cast<int>(Layer::count)> layer;
  const TimesPtr& operator[](Layer at) const { return layer[static_cast<int>(at)]; }
  TimesPtr& operator[](Layer at) { return layer[static_cast<int>(at)]; }
};
using ClockPtr = std::shared_ptr<const Clock>;  // null: nothing is known

ClockPtr join(const ClockPtr& a, const ClockPtr& b);
// One to change, before it is shared.
inline std::shared_ptr<Clock> copy_of(const ClockPtr& clock) {
  return clock ? std::make_shared<Clock>(*clock) : std::make_shared<Clock>();
}
inline bool has_layer(const ClockPtr& clock, Layer layer) {
  return clock && (*clock)[layer] != nullptr;
}
inline TimesPtr layer_of(const ClockPtr& clock, Layer layer) {
  return clock ? (*clock)[layer] : TimesPtr{};
}

}  // namespace aisp::sim::watch
