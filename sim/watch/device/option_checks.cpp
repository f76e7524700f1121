// What is checked on request only: reads of what nobody wrote, and advice on access patterns.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/machine/wavefronts.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

constexpr std::uint64_t sector = 32;

// Sectors of 32 bytes that the lanes touch, and the least that so many bytes can lie in.
struct Sectors {
  std::uint64_t touched = 0, least = 0;
};

Sectors sectors_of(Mask mask, std::byte* const* at, std::uint32_t bytes) {
  std::vector<std::uint64_t> lines, words;
  for (Mask left = mask; left != 0; left &= left - 1) {
    const auto first = reinterpret_cast<std::uint64_t>(at[std::countr_zero(left)]);
    words.push_back(first / bytes);
    for (std::uint64_t line = first / sector; line <= (first + bytes - 1) / sector; ++line)
      lines.push_back(line);
  }
  const auto distinct = [](std::vector<std::uint64_t>& list) {
    std::sort(list.begin(), list.end());
    return static_cast<std::uint64_t>(std::unique(list.begin(), list.end()) - list.begin());
  };
  return {distinct(lines), (distinct(words) * bytes + sector - 1) / sector};
}

}  // namespace

void GridWatch::check_initialised(const Region& region, std::uint32_t size, const Accessor& who) {
  if (region.block == nullptr) {
    // Memory that the host can reach, and variables, hold what they were given.
    const auto found = grid_.memory->find(region.address);
    if (!found || (found->kind != MemoryKind::device && found->kind != MemoryKind::heap) ||
        process_.written.covers(region.address, region.address + size))
      return;
  }
  if (known(HazardRule::uninitialised, who.pc, 0)) return;
  FindingPlace place =
      who.operation != nullptr
          ? place_of(who.actor, who.lane, who.pc, say("read of ", size, " bytes"))
          : place_here(*who.warp, who.lane, who.pc, say("read of ", size, " bytes"));
  place.address = address_text(region);
  std::string message = say("read of ", region.block != nullptr ? "shared" : "global",
                            " memory at ", place.address, " that nobody has written");
  add(HazardRule::uninitialised, std::move(message),
      "no thread, copy or fill has written these bytes before",
      region.block != nullptr ? "write it first: shared memory starts with whatever was there"
                              : "initialise the buffer (cudaMemset, a copy) before it is read",
      {std::move(place)}, who.pc, 0);
}

void GridWatch::count_advice(Warp& warp, Mask mask, std::byte* const* at, const AccessForm& form,
                             std::uint32_t pc) {
  const Region first =
      region_of(*warp.block->cluster, *warp.block, at[std::countr_zero(mask) % lanes]);
  Advice one{.times = 1, .extra = 0, .least = 0};
  if (first.block != nullptr) {
    std::uint32_t offsets[lanes]{};
    for (Mask left = mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      offsets[lane] = static_cast<std::uint32_t>(at[lane] - first.block->block->shared);
    }
    one.extra = static_cast<std::uint64_t>(extra_wavefronts(offsets, form.bytes, mask));
    one.least = std::max<std::uint64_t>(1, form.bytes / 4);
  } else {
    const Sectors sectors = sectors_of(mask, at, form.bytes);
    one.extra = sectors.touched - sectors.least;
    one.least = sectors.least;
  }
  const HazardRule rule =
      first.block != nullptr ? HazardRule::bank_conflict : HazardRule::uncoalesced;
  Advice& sum = advice_[{rule, pc}];
  sum.times += one.times;
  sum.extra += one.extra;
  sum.least += one.least;
}

void GridWatch::report_advice() {
  for (const auto& [key, sum] : advice_) {
    const auto& [rule, pc] = key;
    // Twice the least is where a change pays.
    if (sum.extra < sum.least || known(rule, pc, 0)) continue;
    const bool banks = rule == HazardRule::bank_conflict;
    add(rule,
        banks ? say(sum.extra, " wavefronts beyond the least ", sum.least, " in ", sum.times,
                    " accesses to shared memory")
              : say(sum.extra, " sectors of 32 bytes beyond the least ", sum.least, " in ",
                    sum.times, " accesses to global memory"),
        banks ? "lanes of one access fall into the same banks of 4 bytes at different addresses"
              : "lanes of one access lie far apart: each sector is fetched for a part of its bytes",
        banks ? "pad the rows, or swizzle the addresses" : "let neighbouring lanes take neighbours",
        {place_of(actor_of(record_->first, Channel::lanes), -1, pc, "access")}, pc, 0);
  }
}

}  // namespace aisp::sim::watch
