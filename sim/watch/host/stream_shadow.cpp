#include "sim/watch/host/stream_shadow.hpp"

#include <algorithm>

#include "sim/watch/device/beside.hpp"

namespace aisp::sim::watch {
namespace {

void add(std::vector<Conflict>& conflicts, Conflict conflict) {
  for (Conflict& known : conflicts)
    if (known.earlier == conflict.earlier && known.why == conflict.why) {
      known.bytes += conflict.bytes;
      return;
    }
  conflicts.push_back(std::move(conflict));
}

}  // namespace

StreamShadow::Segments& StreamShadow::space_of(const Memory::Table& table, std::uint64_t address) {
  const auto behind =
      std::upper_bound(table.begin(), table.end(), address,
                       [](std::uint64_t at, const Allocation& one) { return at < one.base; });
  const bool inside = behind != table.begin() && address < std::prev(behind)->end();
  return spaces_[inside ? std::prev(behind)->id : 0];
}

// The first segment at or behind `at`, after a segment that spans it has been cut in two.
StreamShadow::Segments::iterator StreamShadow::cut(Segments& segments, std::uint64_t at) {
  const auto behind = segments.lower_bound(at);
  if (behind == segments.begin()) return behind;
  const auto ahead = std::prev(behind);
  if (ahead->second.end <= at) return behind;
  Segment rest = ahead->second;
  ahead->second.end = at;
  return segments.emplace_hint(behind, at, std::move(rest));
}

void StreamShadow::judge(const Touch& touch, const TouchedRange& at, const Visit& visit) {
  const StreamOperation &other = *touch.operation, &own = *visit.operation;
  if (&other == &own || other.settled || (!touch.writes && !visit.writes)) return;
  if (may_meet(touch.how, touch.writes, at.how, visit.writes, other.device == own.device)) return;
  const bool ordered = covers(own.node->clock, *other.node);
  auto why = Conflict::Why::unordered;
  if (visit.early) {
    if (!ordered || covers(own.early, *other.node)) return;
    why = own.ended.holds(*other.node) ? Conflict::Why::ended : Conflict::Why::early;
  } else if (ordered) {
    if (other.kind != OperationKind::release || own.kind == OperationKind::allocate) return;
    why = Conflict::Why::freed;
  } else if (visit.beside->order(other, touch.writes, own, visit.writes, at.begin, at.end)) {
    return;
  }
  add(*visit.conflicts, {.why = why,
                         .earlier = touch.operation,
                         .later = visit.operation,
                         .earlier_writes = touch.writes,
                         .later_writes = visit.writes,
                         .earlier_pc = touch.pc,
                         .later_pc = at.pc,
                         .begin = at.begin,
                         .end = at.end,
                         .bytes = at.end - at.begin});
}

void StreamShadow::look(const Segments& segments, const TouchedRange& range, const Visit& visit) {
  auto at = segments.upper_bound(range.begin);
  if (at != segments.begin() && std::prev(at)->second.end > range.begin) --at;
  for (; at != segments.end() && at->first < range.end; ++at)
    for (const Touch& touch : at->second.touches)
      judge(touch,
            {std::max(at->first, range.begin), std::min(at->second.end, range.end), range.pc,
             range.how},
            visit);
}

// Whoever is unordered with something that comes before this operation is unordered with this one,
// which cannot come before what has not run yet: a write takes the place of all that it follows, a
// read that of the reads, as long as it is no stronger: a strong one conflicts with less.
void StreamShadow::enter(Segments& segments, const TouchedRange& range, const Visit& visit) {
  const Touch own{visit.operation, range.pc, visit.writes, range.how};
  const auto says_no_more = [](const Touch& old, const Touch& now) {
    return (now.writes || !old.writes) &&
           ((now.how & how_weak) != 0 || ((old.how & ~now.how) == 0 && now.writes == old.writes));
  };
  cut(segments, range.end);
  auto at = cut(segments, range.begin);
  for (std::uint64_t begin = range.begin; begin < range.end;) {
    if (at == segments.end() || at->first > begin) {
      const std::uint64_t end = at == segments.end() ? range.end : std::min(at->first, range.end);
      segments.emplace_hint(at, begin, Segment{end, {own}});
      begin = end;
      continue;
    }
    std::vector<Touch>& touches = at->second.touches;
    std::erase_if(touches, [&](const Touch& touch) {
      if (touch.operation == visit.operation) return says_no_more(touch, own);
      if (touch.operation->settled) return true;
      if (touch.operation->kind == OperationKind::release &&
          visit.operation->kind != OperationKind::allocate)
        return false;  // it stays freed
      return says_no_more(touch, own) &&
             covers(visit.operation->node->clock, *touch.operation->node);
    });
    const bool known = std::any_of(touches.begin(), touches.end(), [&](const Touch& touch) {
      return touch.operation == visit.operation && says_no_more(own, touch);
    });
    if (!known) touches.push_back(own);
    begin = at->second.end;
    ++at;
  }
}

std::vector<Conflict> StreamShadow::touch(const StreamOperationPtr& operation,
                                          const Memory::Table& table, BesideGrids& beside) {
  std::vector<Conflict> conflicts;
  const Footprint& touched = operation->touched;
  const auto visit = [&](const std::vector<TouchedRange>& ranges, bool writes, bool early) {
    const Visit look_on{operation, writes, early, &conflicts, &beside};
    for (const TouchedRange& range : ranges)
      if (range.begin < range.end) look(space_of(table, range.begin), range, look_on);
  };
  visit(touched.early_writes, true, true);
  visit(touched.early_reads, false, true);
  visit(touched.writes, true, false);
  visit(touched.reads, false, false);
  for (const bool writes : {true, false})
    for (const TouchedRange& range : writes ? touched.writes : touched.reads)
      if (range.begin < range.end)
        enter(space_of(table, range.begin), range, {operation, writes, false, nullptr, nullptr});
  return conflicts;
}

}  // namespace aisp::sim::watch
