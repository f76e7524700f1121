// What findings have in common: a barrier or a fence that is not there shows at every pair of
// accesses that it would have ordered, and is one finding.
#include <algorithm>

#include "base/refuse.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

enum class Common {
  nothing,      // each pair is a cause of its own
  source,       // lines of the source
  both_sides,   // ... or the stretches of code between barriers that the two accesses lie in
  first_side,   // ... or that of the first: what is missing belongs behind it
  second_side,  // ... or that of the second: what is missing belongs before it
};

Common common_of(HazardRule rule) {
  switch (rule) {
    case HazardRule::shared_race:
    case HazardRule::cluster_race:
    case HazardRule::global_race:
    case HazardRule::copy_wait:
    case HazardRule::bulk_wait:
    case HazardRule::bulk_source:
    case HazardRule::wgmma_operand:
    case HazardRule::tensor_commit:
    case HazardRule::tensor_race:
    case HazardRule::tensor_fence:
    case HazardRule::tensor_operand:
    case HazardRule::wgmma_registers:
      return Common::both_sides;
    case HazardRule::tensor_wait:  // of the warp that has issued the first
    case HazardRule::proxy_fence:
    case HazardRule::tensormap_fence:
    case HazardRule::mbarrier_init:
    case HazardRule::early_exit:
    case HazardRule::copy_proxy_fence:
    case HazardRule::mbarrier_init_fence:
    case HazardRule::store_at_exit:
    case HazardRule::dealloc_at_exit:
      return Common::first_side;
    case HazardRule::wgmma_fence:
      return Common::second_side;
    case HazardRule::bank_conflict:
    case HazardRule::uncoalesced:
      return Common::nothing;
    default:
      return Common::source;
  }
}

}  // namespace

std::string source_of(const FindingPlace& place) {
  std::string text = say(place.file, ":", place.line);
  for (const auto& [file, line] : place.inlined) text += say(" < ", file, ":", line);
  return text;
}

Finding::Between GridWatch::between(HazardRule rule, std::uint32_t first_pc,
                                    std::uint32_t second_pc) const {
  const auto [low, high] = std::minmax(first_pc, second_pc);
  const bool by_barrier = rule == HazardRule::shared_race || rule == HazardRule::global_race ||
                          rule == HazardRule::cluster_race;
  const auto& loops = facts_->loops;
  if (!by_barrier ||
      std::any_of(loops.begin(), loops.end(), [low = low, high = high](const auto& loop) {
        return loop.first <= low && high <= loop.second;
      }))
    return {};
  return {low, high};
}

std::string GridWatch::missing_wait_text(HazardRule rule, const Region& region,
                                         const Before& before, const Accessor& now,
                                         std::uint32_t reader_pc) const {
  const auto stretch = facts_->stretches[reader_pc];
  if (rule == HazardRule::wgmma_operand && channel_of(before.actor) == Channel::product) {
    const Event product = event_of(*now.warp->block, before.actor, 0, before.time, before.pc);
    const WarpWatch* const issuer = warp_of(*now.warp->block, before.actor);
    return issuer != nullptr && !is_waited_for(*issuer, product)
               ? say("wgmma waited for behind stretch ", facts_->stretches[before.pc])
               : "";
  }
  if (rule == HazardRule::copy_wait) return say("cp.async waited for before stretch ", stretch);
  const Actor actor = before.premature ? now.actor : before.actor;
  if (rule != HazardRule::bulk_wait || channel_of(actor) != Channel::mbarrier ||
      region.block == nullptr)
    return "";
  // The mbarriers of a ring are initialised at one line, those of different rings at others.
  for (const BlockWatch& block : region.block->cluster->blocks)
    for (const auto& [offset, barrier] : block.mbarriers) {
      if (barrier.actor != actor) continue;
      const FindingPlace init = place_of(barrier.init.actor, -1, barrier.init.pc, "");
      return say("mbarrier of ",
                 init.file.empty() ? say("PTX line ", init.ptx_line) : source_of(init),
                 " waited for before stretch ", stretch);
    }
  return "";
}

std::set<std::string> GridWatch::causes_of(HazardRule rule, const std::vector<FindingPlace>& places,
                                           std::uint32_t first_pc, std::uint32_t second_pc,
                                           const std::string& object) const {
  std::set<std::string> causes;
  if (text_of(rule).level == base::HazardLevel::formal) return {"the kernel"};
  const Common common = common_of(rule);
  if (common == Common::nothing) return causes;
  // Which of two came first is the schedule's choice.
  std::vector<std::string> lines;
  for (const FindingPlace& place : places)
    if (!place.file.empty()) lines.push_back(source_of(place));
  std::sort(lines.begin(), lines.end());
  if (lines.size() == 2) causes.insert(say(lines[0], " with ", lines[1], " ", object));
  const auto stretch = [&](std::uint32_t pc) {
    return pc < facts_->stretches.size() ? facts_->stretches[pc] : 0;
  };
  std::uint32_t sides[2] = {stretch(first_pc), stretch(second_pc)};
  if (common == Common::both_sides) {
    std::sort(std::begin(sides), std::end(sides));
    causes.insert(say("stretches ", sides[0], " and ", sides[1], " ", object));
  } else if (common == Common::first_side) {
    causes.insert(say("behind stretch ", sides[0], " ", object));
  } else if (common == Common::second_side) {
    causes.insert(say("before stretch ", sides[1], " ", object));
  }
  return causes;
}

}  // namespace aisp::sim::watch
