#include "sim/launch/report.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "sim/machine/access.hpp"
#include "sim/machine/mbarrier.hpp"
#include "sim/machine/names.hpp"

namespace aisp::sim {
namespace {

using base::say;

// "PTX line 83: bar.sync 0;  (kernel.cu:16)"
std::string place_of(const Program& program, std::uint32_t pc) {
  if (pc >= program.sources.size()) return "no instruction";
  const OpSource& source = program.sources[pc];
  std::string text(program.line_text(source.ptx_line));
  text.erase(0, text.find_first_not_of(" \t"));
  std::string place = say("PTX line ", source.ptx_line, ": ", text);
  if (source.line > 0 && source.file > 0 &&
      static_cast<std::size_t>(source.file) < program.files.size())
    place +=
        say("  (", program.files[static_cast<std::size_t>(source.file)], ":", source.line, ")");
  return place;
}

std::string mbarrier_state(Block& block, std::uint32_t address) {
  try {
    const MBarrier barrier = MBarrier::decode(*mbarrier_at(block, address));
    const std::string state = ": " + barrier.balance();
    if (!barrier.is_untouched()) return state + " in it";
    return state +
           " in it, and nothing has arrived: either the arrivals never come, or the awaited phase "
           "has already passed and this is the next one of that parity (the wait is late, or its "
           "parity is wrong)";
  } catch (const Fault& fault) {
    return ", which is not there: " + fault.message;
  }
}

std::string lanes_text(Mask mask) {
  std::vector<std::string> ranges;
  for (int lane = 0; lane < lanes;) {
    if ((mask >> lane & 1) == 0) {
      ++lane;
      continue;
    }
    int end = lane;
    while (end + 1 < lanes && (mask >> (end + 1) & 1) != 0) ++end;
    ranges.push_back(end == lane ? say(lane) : say(lane, "-", end));
    lane = end + 1;
  }
  return base::join(ranges, ",");
}

std::string wait_text(Warp& warp, const LaneGroup& lane_group) {
  Block& block = *warp.block;
  const Wait& wait = lane_group.wait;
  switch (wait.kind) {
    case Wait::Kind::barrier: {
      const NamedBarrier& barrier = block.barriers[wait.index % 16];
      const std::uint32_t expected =
          barrier.expected != 0 ? barrier.expected : block.threads - block.exited;
      return say("for barrier ", wait.index, ", phase ", wait.value, ": ", barrier.arrived, " of ",
                 expected, " threads have arrived, ", block.exited, " have exited");
    }
    case Wait::Kind::cluster:
      return say("for the cluster barrier, phase ", wait.value, ": ",
                 block.cluster->barrier.arrived, " of ",
                 block.cluster->threads - block.cluster->exited, " threads have arrived");
    case Wait::Kind::mbarrier: {
      const auto address = static_cast<std::uint32_t>(wait.address);
      return say("for the phase of parity ", wait.value & 1, " of the mbarrier at shared offset ",
                 (address & 0xffffff) - block.grid->device->shared_reserved,
                 mbarrier_state(block, address));
    }
    case Wait::Kind::warp:
      return say("for lanes ",
                 lanes_text(static_cast<Mask>(wait.address) & ~lane_group.mask & warp.alive),
                 " of the warp");
    case Wait::Kind::async_group:
      return "for the other warps of its warpgroup";
    case Wait::Kind::tensor:
      if (wait.index == 1) return "for the other block of its pair";
      return say("for ", wait.value, " columns of tensor memory on SM ", block.sm);
    case Wait::Kind::reconverge:
      return say("for lanes ", lanes_text(static_cast<Mask>(wait.value) & warp.alive),
                 " where their ways meet");
    default:
      return "for nothing that is modelled";
  }
}

}  // namespace

std::string describe_waits(Cluster& cluster) {
  constexpr std::size_t most_lines = 12;
  std::map<std::string, std::vector<std::string>> groups;  // what and where -> who
  for (auto& block : cluster.blocks)
    for (auto& warp : block->warps)
      for (const LaneGroup& lane_group : warp->lane_groups) {
        if (lane_group.mask == 0) continue;
        std::string who = say("warp ", warp->index);
        if (lane_group.mask != warp->exists) who += say(" lanes ", lanes_text(lane_group.mask));
        if (cluster.blocks.size() > 1) who = say("block ", block->rank, " of the cluster ", who);
        groups[say(wait_text(*warp, lane_group), "; ", place_of(*warp->program, lane_group.pc))]
            .push_back(who);
      }
  std::string text = "nothing can go on";
  std::size_t lines = 0;
  for (const auto& [what, who] : groups) {
    if (++lines > most_lines) return text + say("\n  and ", groups.size() - most_lines, " more");
    text += say("\n  ",
                who.size() <= 4 ? base::join(who, ", ")
                                : say(who.front(), " to ", who.back(), " (", who.size(), ")"),
                who.size() == 1 ? " waits " : " wait ", what);
  }
  return text;
}

namespace {

int lane_at_fault(const Cluster& cluster, const Fault& fault) {
  if (fault.lane >= 0) return fault.lane;
  if (cluster.issuer != nullptr) return std::max(cluster.issuer_lane, 0);
  const Mask mask = cluster.running_group->mask;
  return mask != 0 ? std::countr_zero(mask) : 0;
}

}  // namespace

Report make_report(Cluster& cluster, const Fault& fault) {
  const bool asynchronous = cluster.issuer != nullptr;
  const Warp* warp = asynchronous ? cluster.issuer : cluster.running;
  std::string text = say("kernel ", shown_name(cluster.grid->kernel->name), ": ", fault.message);
  if (warp == nullptr) return {fault.kind, text};
  const LaneGroup* lane_group = cluster.running_group;
  const std::uint32_t pc = asynchronous ? cluster.issuer_pc : lane_group->pc;
  const Block& block = *warp->block;
  text += say("\n  block (", block.index[0], ",", block.index[1], ",", block.index[2], ")");
  if (fault.kind != FaultKind::deadlock) {
    const int lane = lane_at_fault(cluster, fault);
    const auto thread = static_cast<std::uint32_t>(warp->index * lanes + lane);
    const Dim3& size = block.grid->block;
    text += say(", thread (", thread % size.x, ",", thread / size.x % size.y, ",",
                thread / (size.x * size.y), "), warp ", warp->index, " lane ", lane);
    text += say("\n  ", asynchronous ? "issued at " : "", place_of(*warp->program, pc));
  }
  return {fault.kind, text};
}

}  // namespace aisp::sim
