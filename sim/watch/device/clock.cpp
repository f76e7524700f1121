#include "sim/watch/device/clock.hpp"

#include <algorithm>

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

}  // namespace

Mask Times::missing(Actor actor, Mask mask, std::uint32_t time) const {
  auto at = std::lower_bound(entries.begin(), entries.end(), actor, earlier_actor);
  for (; at != entries.end() && at->actor == actor && at->time >= time; ++at) mask &= ~at->mask;
  return mask;
}

TimesPtr join(const TimesPtr& a, const TimesPtr& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  auto merged = std::make_shared<Times>();
  merged->entries.reserve(std::max(a->entries.size(), b->entries.size()) + 4);
  auto left = a->entries.begin(), left_end = a->entries.end();
  auto right = b->entries.begin(), right_end = b->entries.end();
  while (left != left_end || right != right_end) {
    const bool take_left = right == right_end || (left != left_end && before(*left, *right));
    append(merged->entries, take_left ? *left++ : *right++);
  }
  if (merged->entries == a->entries) return a;
  if (merged->entries == b->entries) return b;
  return merged;
}

TimesPtr with(const TimesPtr& a, std::vector<Entry> more) {
  if (more.empty()) return a;
  auto times = a ? std::make_shared<Times>(*a) : std::make_shared<Times>();
  for (const Entry& entry : more) insert(times->entries, entry);
  return times;
}

ClockPtr join(const ClockPtr& a, const ClockPtr& b) {
  if (!b || a == b) return a;
  if (!a) return b;
  auto merged = std::make_shared<Clock>();
  bool is_a = true, is_b = true;
  for (std::size_t i = 0; i < merged->layer.size(); ++i) {
    merged->layer[i] = join(a->layer[i], b->layer[i]);
    is_a &= merged->layer[i] == a->layer[i];
    is_b &= merged->layer[i] == b->layer[i];
  }
  return is_a ? a : is_b ? b : ClockPtr(std::move(merged));
}

}  // namespace aisp::sim::watch
