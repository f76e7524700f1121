#include "sim/watch/device/clock.hpp"

#include <algorithm>
#include <atomic>

namespace aisp::sim::watch {
namespace {

bool earlier_actor(const Entry& entry, Actor actor) { return entry.actor < actor; }

bool before(const Entry& a, const Entry& b) {
  return a.actor != b.actor ? a.actor < b.actor : a.time > b.time;
}

// Appends an entry of the actor now at the end of `into`, for the lanes not there yet with a time
// at least as late. Entries of one actor come with the later first.
void append(std::vector<Entry>& into, Entry entry) {
  std::size_t same = into.size();
  for (std::size_t i = into.size(); i-- > 0 && into[i].actor == entry.actor;) {
    entry.mask &= ~into[i].mask;
    if (into[i].time == entry.time) same = i;
  }
  if (entry.mask == 0) return;
  if (same < into.size())
    into[same].mask |= entry.mask;
  else
    into.push_back(entry);
}

// Adds one entry in its place.
void insert(std::vector<Entry>& into, const Entry& entry) {
  const auto first = std::lower_bound(into.begin(), into.end(), entry.actor, earlier_actor);
  auto last = first;
  while (last != into.end() && last->actor == entry.actor) ++last;
  if (first == last) {
    into.insert(first, entry);
  } else if (last - first == 1 && (first->mask & ~entry.mask) == 0 && first->time <= entry.time) {
    *first = entry;  // what lanes did themselves: always later than what was known
  } else {
    std::vector<Entry> known(first, last), merged;
    known.push_back(entry);
    std::sort(known.begin(), known.end(), before);
    for (const Entry& one : known) append(merged, one);
    const auto at = into.erase(first, last);
    into.insert(at, merged.begin(), merged.end());
  }
}

using EntriesPtr = std::shared_ptr<const Entries>;

std::shared_ptr<Entries> make_entries() {
  static std::atomic<std::uint64_t> names{0};
  auto made = std::make_shared<Entries>();
  made->name = names.fetch_add(1, std::memory_order_relaxed) + 1;
  return made;
}

// Of a piece that two clocks have: which of them says all that both do.
struct Both {
  bool is_a = true, is_b = true;
};

std::size_t end_of_actor(const Entries& entries, std::size_t at) {
  const Actor actor = entries[at].actor;
  while (at < entries.size() && entries[at].actor == actor) ++at;
  return at;
}

// Whether the lanes of `some` are known to be at least as far in `more`: entries of one actor.
bool covers(const Entry* more, const Entry* more_end, const Entry* some, const Entry* some_end) {
  for (; some != some_end; ++some) {
    Mask left = some->mask;
    for (const Entry* at = more; at != more_end && at->time >= some->time; ++at) left &= ~at->mask;
    if (left != 0) return false;
  }
  return true;
}

// About the same lanes of the same actors, as after a barrier of all? Without branches: this is
// where grids of many warps spend their time.
bool alike(const Entries& a, const Entries& b, Both& both) {
  if (a.size() != b.size()) return false;
  std::uint32_t different = 0, a_later = 0, b_later = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    different |= (a[i].actor ^ b[i].actor) | (a[i].mask ^ b[i].mask);
    a_later |= a[i].time > b[i].time;
    b_later |= b[i].time > a[i].time;
  }
  both.is_a = b_later == 0;
  both.is_b = a_later == 0;
  return different == 0;
}

// Nothing is made here: mostly one of the two will do.
Both compare(const Entries& a, const Entries& b) {
  if (Both both; alike(a, b, both)) return both;
  Both both;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size() && (both.is_a || both.is_b)) {
    const Entry &left = a[i], &right = b[j];
    if (left.actor < right.actor) {
      both.is_b = false;
      ++i;
    } else if (right.actor < left.actor) {
      both.is_a = false;
      ++j;
    } else {
      const std::size_t i_end = end_of_actor(a, i), j_end = end_of_actor(b, j);
      if (i_end == i + 1 && j_end == j + 1 && left.mask == right.mask) {
        both.is_a &= left.time >= right.time;
        both.is_b &= left.time <= right.time;
      } else {
        const Entry *l = &left, *r = &right;
        both.is_a &= covers(l, l + (i_end - i), r, r + (j_end - j));
        both.is_b &= covers(r, r + (j_end - j), l, l + (i_end - i));
      }
      i = i_end;
      j = j_end;
    }
  }
  both.is_b &= i == a.size();
  both.is_a &= j == b.size();
  return both;
}

// Blocks that meet hold the same pieces, so the same two are compared again and again: hundreds of
// times at a barrier of a whole device's grid.
class Compared {
 public:
  Both of(const Entries& a, const Entries& b) {
    Pair& pair = pairs_[(a.name * 31 + b.name) % pairs_.size()];
    if (pair.a != a.name || pair.b != b.name) {
      const Both both = compare(a, b);
      pair = {a.name, b.name, both.is_a, both.is_b};
    }
    return {pair.is_a, pair.is_b};
  }

 private:
  struct Pair {
    std::uint64_t a = 0, b = 0;
    bool is_a = false, is_b = false;
  };
  std::vector<Pair> pairs_ = std::vector<Pair>(4096);
};

Both compare(const EntriesPtr& a, const EntriesPtr& b) {
  static thread_local Compared compared;
  return a == b ? Both{} : compared.of(*a, *b);
}

EntriesPtr merge(const EntriesPtr& left, const EntriesPtr& right) {
  if (const Both both = compare(left, right); both.is_a || both.is_b)
    return both.is_a ? left : right;
  auto merged = make_entries();
  merged->reserve(std::max(left->size(), right->size()) + 4);
  const Entries &a = *left, &b = *right;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool in_a = i < a.size() && (j == b.size() || a[i].actor <= b[j].actor);
    const bool in_b = j < b.size() && (i == a.size() || b[j].actor <= a[i].actor);
    const std::size_t i_end = in_a ? end_of_actor(a, i) : i, j_end = in_b ? end_of_actor(b, j) : j;
    if (in_a && in_b && i_end == i + 1 && j_end == j + 1 && a[i].mask == b[j].mask) {
      merged->push_back(a[i].time >= b[j].time ? a[i] : b[j]);
      i = i_end;
      j = j_end;
    } else if (!in_b) {
      while (i < i_end) merged->push_back(a[i++]);
    } else if (!in_a) {
      while (j < j_end) merged->push_back(b[j++]);
    } else {
      while (i < i_end || j < j_end) {
        const bool take_a = j == j_end || (i < i_end && before(a[i], b[j]));
        append(*merged, take_a ? a[i++] : b[j++]);
      }
    }
  }
  return merged;
}

using Pieces = std::vector<Times::Piece>;

// Mostly one of two clocks knows all that the other does, and nothing has to be made.
Both compare(const Pieces& a, const Pieces& b) {
  Both both;
  auto left = a.begin(), right = b.begin();
  while (left != a.end() && right != b.end() && (both.is_a || both.is_b)) {
    if (left->number < right->number) {
      both.is_b = false;
      ++left;
    } else if (right->number < left->number) {
      both.is_a = false;
      ++right;
    } else {
      const Both here = compare(left++->entries, right++->entries);
      both.is_a &= here.is_a;
      both.is_b &= here.is_b;
    }
  }
  both.is_a &= right == b.end();
  both.is_b &= left == a.end();
  return both;
}

}  // namespace

const Entries* Times::entries_near(Actor actor) const {
  const std::uint32_t number = actor >> piece_bits;
  if (number < pieces.size() && pieces[number].number == number)
    return pieces[number].entries.get();
  const auto at = std::lower_bound(
      pieces.begin(), pieces.end(), number,
      [](const Piece& piece, std::uint32_t wanted) { return piece.number < wanted; });
  return at != pieces.end() && at->number == number ? at->entries.get() : nullptr;
}

Mask Times::missing(Actor actor, Mask mask, std::uint32_t time) const {
  const Entries* entries = entries_near(actor);
  if (entries == nullptr) return mask;
  auto at = std::lower_bound(entries->begin(), entries->end(), actor, earlier_actor);
  for (; at != entries->end() && at->actor == actor && at->time >= time; ++at) mask &= ~at->mask;
  return mask;
}

Mask KnownEntries::missing(const TimesPtr& times, Actor actor, Mask mask, std::uint32_t time) {
  if (!times) return mask;
  if (hold(times.get(), actor, mask, time)) return 0;
  const Entries* entries = times->entries_near(actor);
  if (entries == nullptr) return mask;
  auto at = std::lower_bound(entries->begin(), entries->end(), actor, earlier_actor);
  for (; at != entries->end() && at->actor == actor && at->time >= time; ++at) {
    if ((mask & ~at->mask) == 0) {
      slots_[slot_of(times.get(), actor)] = {times, *at};
      return 0;
    }
    mask &= ~at->mask;
  }
  return mask;
}

TimesPtr join(const TimesPtr& a, const TimesPtr& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  if (const Both both = compare(a->pieces, b->pieces); both.is_a || both.is_b)
    return both.is_a ? a : b;
  auto merged = std::make_shared<Times>();
  merged->pieces.reserve(std::max(a->pieces.size(), b->pieces.size()) + 1);
  auto left = a->pieces.begin(), left_end = a->pieces.end();
  auto right = b->pieces.begin(), right_end = b->pieces.end();
  while (left != left_end || right != right_end) {
    if (right == right_end || (left != left_end && left->number < right->number)) {
      merged->pieces.push_back(*left++);
    } else if (left == left_end || right->number < left->number) {
      merged->pieces.push_back(*right++);
    } else {
      merged->pieces.push_back({left->number, merge(left->entries, right->entries)});
      ++left;
      ++right;
    }
  }
  return merged;
}

TimesPtr with(const TimesPtr& a, std::vector<Entry> more) {
  if (more.empty()) return a;
  auto times = a ? std::make_shared<Times>(*a) : std::make_shared<Times>();
  std::sort(more.begin(), more.end(),
            [](const Entry& x, const Entry& y) { return x.actor < y.actor; });
  for (std::size_t i = 0; i < more.size();) {
    const std::uint32_t number = more[i].actor >> Times::piece_bits;
    auto at = std::lower_bound(
        times->pieces.begin(), times->pieces.end(), number,
        [](const Times::Piece& piece, std::uint32_t wanted) { return piece.number < wanted; });
    if (at == times->pieces.end() || at->number != number)
      at = times->pieces.insert(at, {number, make_entries()});
    auto entries = make_entries();
    entries->reserve(at->entries->size() + 1);
    entries->assign(at->entries->begin(), at->entries->end());
    for (; i < more.size() && more[i].actor >> Times::piece_bits == number; ++i)
      insert(*entries, more[i]);
    at->entries = std::move(entries);
  }
  return times;
}

ClockPtr join(const ClockPtr& a, const ClockPtr& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  Clock merged;
  bool is_a = true, is_b = true;
  for (std::size_t i = 0; i < merged.layer.size(); ++i) {
    const TimesPtr &left = a->layer[i], &right = b->layer[i];
    if (left == right) {
      merged.layer[i] = left;
      continue;
    }
    merged.layer[i] = join(left, right);
    is_a &= merged.layer[i] == left;
    is_b &= merged.layer[i] == right;
  }
  if (is_a) return a;  // as mostly one of the two is: nothing is made
  return is_b ? b : std::make_shared<Clock>(std::move(merged));
}

}  // namespace aisp::sim::watch
