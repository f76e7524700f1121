// A fault that stops a grid, as a finding: deadlocks with who waits for whom.
#include <algorithm>
#include <map>
#include <set>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "sim/machine/access.hpp"
#include "sim/watch/device/grid_watch.hpp"

namespace aisp::sim::watch {
namespace {

using base::say;

// Waits that read the same, of one warp or of many.
struct Waiting {
  std::string what;  // " waits at barrier 1 for warp 2", without the verb's ending
  FindingPlace place;
  struct Who {
    const Block* block;
    std::string warp;  // "3", "3 (16 lanes)"
  };
  std::vector<Who> who;
};

std::string name_of_block(const Block& block) {
  return say("block (", block.index[0], ",", block.index[1], ",", block.index[2], ")");
}

// "warps 0, 1 and 2 of block (0,0,0), and 3 more of 1 other block"
std::string names_of(const std::vector<Waiting::Who>& who) {
  const Block* const first = who.front().block;
  constexpr std::size_t most_named = 8;
  std::vector<std::string> warps;
  std::size_t here = 0, elsewhere = 0;
  std::set<const Block*> others;
  for (const Waiting::Who& one : who) {
    if (one.block != first) {
      ++elsewhere;
      others.insert(one.block);
    } else if (++here <= most_named) {
      warps.push_back(one.warp);
    }
  }
  std::string text = say(here == 1 ? "warp " : "warps ", base::join(warps, ", "));
  if (here > most_named) text += say(" and ", here - most_named, " more");
  text += " of " + name_of_block(*first);
  if (elsewhere != 0)
    text += say(", and ", elsewhere, " more of ", others.size(), " other block",
                others.size() == 1 ? "" : "s");
  return text;
}

void add_waiting(std::vector<Waiting>& all, const Block& block, std::string warp, std::string what,
                 FindingPlace place) {
  const auto same = std::find_if(all.begin(), all.end(), [&](const Waiting& known) {
    return known.what == what && known.place.ptx_line == place.ptx_line;
  });
  if (same != all.end())
    same->who.push_back({&block, std::move(warp)});
  else
    all.push_back({std::move(what), std::move(place), {{&block, std::move(warp)}}});
}

// Warps that could end the wait and have not.
std::vector<std::string> missing_at_barrier(const Block& block, const Wait& wait) {
  std::vector<std::string> missing;
  for (const auto& warp : block.warps) {
    const bool here = std::any_of(
        warp->lane_groups.begin(), warp->lane_groups.end(), [&](const LaneGroup& lane_group) {
          return lane_group.mask != 0 && lane_group.wait.kind == Wait::Kind::barrier &&
                 lane_group.wait.index == wait.index;
        });
    if (!here && warp->alive != 0) missing.push_back(say("warp ", warp->index));
  }
  return missing;
}

// bar without .warp is short for barrier.cta with .aligned.
bool is_aligned(const std::string& ptx) {
  return ptx.find(".aligned") != std::string::npos || ptx.starts_with("bar.sync") ||
         ptx.starts_with("bar.red") || ptx.starts_with("bar.arrive") || ptx.starts_with("bar.cta");
}

// The lanes that are missing wait for something themselves: they would come.
bool blocked_elsewhere(const Warp& warp, const LaneGroup& at) {
  return std::any_of(warp.lane_groups.begin(), warp.lane_groups.end(), [&](const LaneGroup& other) {
    const auto kind = other.wait.kind;
    return &other != &at && other.mask != 0 &&
           (kind == Wait::Kind::mbarrier || kind == Wait::Kind::cluster ||
            kind == Wait::Kind::async_group);
  });
}

struct Verdict {
  HazardRule rule = HazardRule::deadlock;
  std::string why = "each waits for another, or for an arrival or a copy that will not come";
  std::string fix, cause;
};

// The number of the phase that a wait has missed: of the same parity, or the first, and the waiting
// lane has not seen that it is over. 0: none, what it waits for is still to come.
std::uint32_t missed_phase(const WarpWatch& warp, int lane, const MBarrierWatch& barrier,
                           const MBarrier& object) {
  if (barrier.phase == 1 || !object.is_untouched()) return 0;
  const std::uint32_t number = barrier.phase == 2 ? 1 : barrier.phase - 2;
  const Group& group = group_of(warp, lane);
  const auto knows = [&](const ClockPtr& clock) {
    return missing(layer_of(clock, Layer::ordered), barrier.actor, 1, number) == 0;
  };
  return knows(group.clock) || knows(group.seen) ? 0 : number;
}

void settle(Verdict& verdict, HazardRule rule, std::string fix) {
  if (verdict.rule != HazardRule::deadlock) return;
  verdict.rule = rule;
  verdict.fix = std::move(fix);
}

struct FaultRule {
  HazardRule rule;
  const char* fix;
};

FaultRule judged(const Fault& fault) {
  switch (fault.subject) {
    case FaultSubject::tensor_columns:
      return {HazardRule::tensor_allocation,
              "the address that tcgen05.alloc gave and its number of columns in every use and in "
              "one tcgen05.dealloc, which is ordered behind all of them"};
    case FaultSubject::tensor_permit:
      return {HazardRule::tensor_allocation,
              "all of the block's tcgen05.alloc before it gives up the permit"};
    case FaultSubject::tensor_growth:
      return {HazardRule::tensor_allocation,
              "the largest allocation first, or all columns with one tcgen05.alloc"};
    case FaultSubject::mbarrier_state:
      return {HazardRule::mbarrier_init,
              "mbarrier.init, a fence and a barrier before the first use; no use after "
              "mbarrier.inval"};
    case FaultSubject::mbarrier_arrivals:
      return {HazardRule::mbarrier_arrivals,
              "initialise the mbarrier with the number of arrivals of a phase, and let nobody "
              "arrive twice"};
    case FaultSubject::mbarrier_transactions:
      return {HazardRule::mbarrier_transactions,
              "give expect_tx the bytes that arrive in the phase: at most 2^20 - 1 at a time"};
    case FaultSubject::barrier:
      return {HazardRule::barrier_mismatch,
              "all threads that use a barrier must name the same number of threads, which must be "
              "those that come"};
    case FaultSubject::exited_block:
      return {HazardRule::early_exit,
              "a cluster barrier (barrier.cluster.arrive and .wait) after the last access and "
              "before the exit"};
    case FaultSubject::commit_address:
      return {HazardRule::commit_address,
              ".shared::cluster in the instruction, or the generic address of the mbarrier "
              "(a pointer, or cvta.shared.u64) as its operand"};
    case FaultSubject::other:
      break;
  }
  switch (fault.kind) {
    case FaultKind::illegal_instruction:
      return {HazardRule::misuse, "see the PTX rule of the instruction"};
    case FaultKind::trap:
    case FaultKind::assertion:
      return {HazardRule::misuse, "the kernel stopped itself"};
    default:
      return {HazardRule::memory_fault, "compare the address with the allocation named here"};
  }
}

}  // namespace

void GridWatch::stopped(Cluster& cluster, const Fault& fault) {
  WarpWatch* warp = nullptr;
  std::uint32_t pc = 0;
  if (cluster.issuer != nullptr) {
    warp = &of(*cluster.issuer);
    pc = cluster.issuer_pc;
  } else if (cluster.running != nullptr && cluster.running_group != nullptr) {
    warp = &of(*cluster.running);
    pc = cluster.running_group->pc;
  }
  if (fault.kind == FaultKind::deadlock) return report_deadlock(cluster);
  if (warp == nullptr) return;
  const auto [rule, fix] = judged(fault);
  const FindingNumber from = root_of_fault(*warp->warp->block, fault, pc);
  if (known(rule, pc, 0, Reach::unknown, from)) return;
  add(rule, fault.message, "the kernel cannot go on after this", fix,
      {place_here(*warp, fault.lane, pc, "instruction at fault")}, pc, 0, Reach::unknown, "", false,
      from);
}

void GridWatch::tolerated(Warp& warp, int lane, const Fault& fault) {
  const WarpWatch& self = of(warp);
  const auto [rule, fix] = judged(fault);
  if (known(rule, self.pc(), 0)) return;
  add(rule, fault.message, "the manual forbids it; the device goes on, and so does this run", fix,
      {place_here(self, lane, self.pc(), "instruction at fault")}, self.pc(), 0);
}

void GridWatch::report_deadlock(Cluster& cluster) {
  Verdict verdict;
  std::vector<Waiting> waiting;
  // By block: what disturbed an mbarrier that one of its threads waits at.
  std::map<const Block*, FindingNumber> disturbed;
  for (const auto& block : cluster.blocks)
    for (const auto& warp : block->warps)
      for (const LaneGroup& lane_group : warp->lane_groups) {
        if (lane_group.mask == 0) continue;
        const Wait& wait = lane_group.wait;
        std::string name = say(warp->index), line;
        if (lane_group.mask != warp->exists)
          name += say(" (", std::popcount(lane_group.mask), " lanes)");
        FindingPlace place =
            place_of(of(*warp).actor, std::countr_zero(lane_group.mask), lane_group.pc, "");
        switch (wait.kind) {
          case Wait::Kind::barrier: {
            const auto missing = missing_at_barrier(*block, wait);
            line = say(" at barrier ", wait.index, " for ",
                       missing.empty() ? "threads that have exited or arrived elsewhere"
                                       : base::join(missing, ", "));
            place.what = say("waits at barrier ", wait.index);
            break;
          }
          case Wait::Kind::cluster:
            line = " for other threads at the cluster barrier";
            place.what = "waits at the cluster barrier";
            break;
          case Wait::Kind::mbarrier: {
            const auto address = static_cast<std::uint32_t>(wait.address);
            line = " for " + describe_mbarrier(*warp, lane_group, address, wait.value != 0);
            place.what = "waits at an mbarrier";
            if (MBarrierWatch* barrier = find_mbarrier(*block, address)) {
              const FindingNumber root = missing_.disturbance_of(barrier->actor);
              if (root != no_finding) disturbed[block.get()] = root;
              const MBarrier object = MBarrier::decode(*mbarrier_at(*block, address));
              if (object.pending == 0 && object.transactions != 0) {
                settle(verdict, HazardRule::mbarrier_transactions,
                       "give expect_tx exactly the bytes of the copies that complete in the phase");
                verdict.cause = mbarrier_text(*barrier);
              } else if (barrier->phase == 1 && barrier->arrivals == 0) {
                verdict.why = Verdict{}.why;
                verdict.fix =
                    "no thread has ever arrived there: a ring's producer starts with parity 1 on "
                    "its 'empty' barriers, and every thread that is counted must arrive";
              } else if (missed_phase(of(*warp), std::countr_zero(lane_group.mask), *barrier,
                                      object) != 0) {
                verdict.why =
                    "a wait names the parity of a phase that has already passed: the mbarrier is "
                    "in a later phase, at which nothing arrives any more";
                verdict.fix =
                    "wait for each phase once, before the one after it can complete, and flip the "
                    "parity with every wait";
              }
            }
            break;
          }
          case Wait::Kind::warp:
            line = " for the other lanes of the warp";
            place.what = "waits for the other lanes of the warp";
            if (is_aligned(place.ptx) && !blocked_elsewhere(*warp, lane_group))
              settle(verdict, HazardRule::divergent_aligned,
                     "an .aligned instruction needs all lanes of the warp at the same place: move "
                     "it out of the divergent code");
            break;
          case Wait::Kind::tensor:
            place.what = wait.index != 0 ? "waits for the other block of its pair"
                                         : say("waits for ", wait.value, " free columns");
            line = wait.index != 0 ? say(" at tcgen05.alloc or dealloc of ", wait.value,
                                         " columns for the other block of its pair")
                                   : say(" for ", wait.value, " free columns of tensor memory");
            break;
          case Wait::Kind::reconverge:
            continue;
          default:
            line = " for its warpgroup";
            place.what = "waits for its warpgroup";
        }
        add_waiting(waiting, *block, std::move(name), std::move(line), std::move(place));
      }
  // A block that waits without such an mbarrier has a reason of its own.
  const bool follows = std::all_of(waiting.begin(), waiting.end(), [&](const Waiting& one) {
    return std::all_of(one.who.begin(), one.who.end(),
                       [&](const Waiting::Who& who) { return disturbed.count(who.block) != 0; });
  });
  FindingNumber from = no_finding;
  if (follows)
    for (const auto& [block, root] : disturbed) from = std::min(from, root);
  if (verdict.fix.empty())
    verdict.fix =
        "every wait needs an arrival that does not itself wait for it: see who is missing";
  constexpr std::size_t most_places = 4, most_lines = 12;
  std::vector<std::string> graph;
  std::vector<FindingPlace> places;
  std::size_t waits = 0;
  for (const Waiting& one : waiting) {
    waits += one.who.size();
    if (places.size() < most_places) places.push_back(one.place);
    if (graph.size() < most_lines)
      graph.push_back(names_of(one.who) + (one.who.size() == 1 ? " waits" : " wait") + one.what);
  }
  if (waiting.size() > most_lines)
    graph.push_back(say("and ", waiting.size() - most_lines, " other waits"));
  const auto pc = places.empty() ? 0u : static_cast<std::uint32_t>(places[0].ptx_line);
  if (known(verdict.rule, pc, 0, Reach::unknown, from)) return;
  Finding finding;
  finding.rule = verdict.rule;
  finding.kernel = kernel_;
  finding.message =
      say("deadlock: ", waits, waits == 1 ? " wait" : " waits", " that nothing can end");
  finding.why = verdict.why;
  finding.fix = verdict.fix;
  finding.places = std::move(places);
  finding.graph = std::move(graph);
  if (verdict.rule == HazardRule::mbarrier_transactions) finding.causes = {verdict.cause};
  process_.findings.add(std::move(finding), pc, 0, 1, from);
}

std::string GridWatch::describe_mbarrier(Warp& warp, const LaneGroup& lane_group,
                                         std::uint32_t address, bool parity) {
  Block& block = *warp.block;
  const std::uint32_t reserved = static_cast<std::uint32_t>(grid_.device->shared_reserved);
  const MBarrier object = MBarrier::decode(*mbarrier_at(block, address));
  std::string text = say("parity ", parity ? 1 : 0, " of the mbarrier at shared offset ",
                         offset_in_block(address) - reserved, ": ");
  const MBarrierWatch* barrier = find_mbarrier(block, address);
  if (barrier == nullptr) return text + object.balance();
  if (const std::uint32_t missed =
          missed_phase(of(warp), std::countr_zero(lane_group.mask), *barrier, object))
    text += say("phase ", missed - 1, " has already passed; ");
  text += say(object.balance(), " in phase ", barrier->phase - 1);
  if (barrier->arrivals == 0) return text + ", no thread has ever arrived";
  const FindingPlace last = place_of(0, -1, barrier->last_arrival_pc, "");
  return text + say(", last arrival at PTX line ", last.ptx_line);
}

}  // namespace aisp::sim::watch
