#include "lab/draw/sync_roles.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/draw/behaviour.hpp"
#include "lab/draw/sync_words.hpp"

namespace aisp::lab {
namespace {

// ..., how, place, and which mbarriers: those of two rings are used by the same functions.
using Step = std::tuple<SyncDeed, SyncObject, std::string, std::string, std::size_t>;
using Steps = std::set<Step>;
using Words = std::set<std::string>;
constexpr int warpgroup = 4;

// What the words of a role are, in the order in which data goes through a kernel, and how far along
// it one stands who does nothing before.
struct Work {
  const char *word, *shown;
  int stage;
};
constexpr Work works[] = {
    {"clusterlaunchcontrol", "asks for tiles", 0},
    {"TMA load", "TMA loads", 1},
    {"TMA multicast", "TMA multicast loads", 1},
    {"bulk load", "bulk loads", 1},
    {"bulk multicast", "bulk multicast loads", 1},
    {"cp.async", "cp.async", 1},
    {"tcgen05.cp", "tcgen05.cp", 2},
    {"tcgen05.mma", "tcgen05.mma", 2},
    {"wgmma", "wgmma", 3},
    {"mma.sync", "mma.sync", 3},
    {"tcgen05.ld", "tcgen05.ld", 4},
    {"tcgen05.st", "tcgen05.st", 4},
    {"global loads", "global loads", 4},
    {"st.async", "st.async", 4},
    {"red.async", "red.async", 4},
    {"TMA store", "TMA stores", 4},
    {"TMA reduce", "TMA reductions", 4},
    {"bulk store", "bulk stores", 4},
    {"bulk reduce", "bulk reductions", 4},
    {"global stores", "global stores", 4},
    {"global atomics", "global atomics", 4},
};

int stage_of(const Words& words) {
  int last = 0;
  bool any = false;
  // A role that loads and multiplies stands where it multiplies.
  for (const Work& work : works)
    if (words.contains(work.word) && work.stage < 4) {
      last = std::max(last, work.stage);
      any = true;
    }
  return any ? last : 4;
}

std::string shown_work(const Words& words) {
  std::vector<std::string> parts;
  for (const Work& work : works)
    if (words.contains(work.word)) parts.emplace_back(work.shown);
  return base::join(parts, ", ");
}

std::vector<std::string> shown_beside(const Words& words) {
  std::vector<std::string> parts;
  for (const auto& word : words)
    if (std::none_of(std::begin(works), std::end(works),
                     [&](const Work& work) { return work.word == word; }))
      parts.push_back(word);
  return parts;
}

struct Doer {
  Steps steps;
  Words words;
};
using Doers = std::map<std::pair<SyncBlocks, int>, Doer>;

Doers doers_of(const SyncRecord& record, const NodesFound& nodes) {
  Doers doers;
  for (std::size_t log = 0; log < record.logs.size(); ++log) {
    for (const auto& event : record.logs[log].events)
      if (event.deed != SyncDeed::init)
        doers[{{log, event.rank}, event.warp}].steps.insert(
            {event.deed, event.barrier.object, event.how,
             caller_identity(record.places[event.place]),
             event.barrier.object == SyncObject::mbarrier ? nodes.node_of.at({log, event.barrier})
                                                          : 0});
    for (const auto& work : record.logs[log].work)
      doers[{{log, work.rank}, work.warp}].words.insert(work.does.begin(), work.does.end());
  }
  return doers;
}

bool acts_as_warpgroup(const Words& words) {
  return words.contains("wgmma") || words.contains("tcgen05.ld") || words.contains("tcgen05.st");
}

// The four warps of a warpgroup that multiplies, or reads an accumulator out of tensor memory, act
// as one: that one of them is elected to arrive makes no role of its own.
void join_warpgroups(const SyncRecord& record, Doers& doers) {
  for (std::size_t log = 0; log < record.logs.size(); ++log)
    for (int rank = 0; rank < record.cluster_blocks(); ++rank)
      for (int first = 0; first + warpgroup <= record.warps(); first += warpgroup) {
        Steps all;
        bool together = true;
        for (int warp = first; warp < first + warpgroup; ++warp) {
          const auto found = doers.find({{log, rank}, warp});
          together = together && found != doers.end() && acts_as_warpgroup(found->second.words);
          if (together) all.insert(found->second.steps.begin(), found->second.steps.end());
        }
        for (int warp = first; together && warp < first + warpgroup; ++warp)
          doers[{{log, rank}, warp}].steps = all;
      }
}

// Blocks of one place in the cluster that only leave something out do what the others do.
std::map<std::pair<SyncBlocks, int>, Steps> kinds_of(const Doers& doers) {
  std::map<std::pair<int, int>, std::vector<std::pair<SyncBlocks, int>>> positions;
  for (const auto& [who, doer] : doers) positions[{who.first.rank, who.second}].push_back(who);
  std::map<std::pair<SyncBlocks, int>, Steps> kinds;
  for (const auto& [position, members] : positions) {
    std::vector<Steps> all;
    for (const auto& who : members) all.push_back(doers.at(who).steps);
    const auto kind = absorbed(all);
    for (std::size_t i = 0; i < members.size(); ++i) kinds[members[i]] = kind[i];
  }
  return kinds;
}

std::string warps_text(const std::set<int>& warps) {
  return base::say(warps.size() == 1 ? "warp " : "warps ", ranges(warps));
}

std::string who_text(const SyncRecord& record, const RoleFound& role) {
  std::map<int, std::set<int>> by_rank;
  for (const auto& [blocks, warp] : role.warps) by_rank[blocks.rank].insert(warp);
  std::map<std::set<int>, std::set<int>> ranks_of;
  for (const auto& [rank, warps] : by_rank) ranks_of[warps].insert(rank);
  std::vector<std::string> parts;
  for (const auto& [warps, ranks] : ranks_of) {
    std::string part = warps_text(warps);
    if (static_cast<std::int64_t>(ranks.size()) < record.cluster_blocks())
      part += base::say(ranks.size() == 1 ? " of block " : " of blocks ", ranges(ranks),
                        " of the cluster");
    parts.push_back(std::move(part));
  }
  std::int64_t have = 0, all = 0;
  for (const auto& blocks : role.blocks) have += record.logs[blocks.log].clusters;
  for (const auto& log : record.logs)
    all += log.clusters * static_cast<std::int64_t>(by_rank.size());
  if (have < all) parts.back() += base::say(", in ", have, " of ", all, " blocks");
  return base::join(parts, "; ");
}

}  // namespace

std::size_t RolesFound::of(const SyncBlocks& blocks, int warp) const {
  const auto found = std::find_if(roles.begin(), roles.end(), [&](const RoleFound& role) {
    return role.warps.contains({blocks, warp});
  });
  if (found == roles.end())
    base::refuse(base::Exit::environment, "a record of synchronisation names warp ", warp,
                 " without what it does");
  return static_cast<std::size_t>(found - roles.begin());
}

RolesFound find_roles(const SyncRecord& record, const NodesFound& nodes) {
  Doers doers = doers_of(record, nodes);
  join_warpgroups(record, doers);
  std::map<Steps, std::pair<RoleFound, Words>> by_steps;
  RolesFound found;
  std::set<int> heard;
  for (const auto& [who, steps] : kinds_of(doers)) {
    if (steps.empty()) continue;
    auto& [role, words] = by_steps[steps];
    role.warps.insert(who);
    role.blocks.insert(who.first);
    words.merge(Words(doers.at(who).words));
    heard.insert(who.second);
  }
  for (int warp = 0; warp < record.warps(); ++warp)
    if (!heard.contains(warp)) found.silent.insert(warp);
  using Order = std::tuple<int, int, int>;
  std::vector<std::pair<Order, RoleFound>> ordered;
  for (auto& [steps, entry] : by_steps) {
    auto& [role, words] = entry;
    role.text = {who_text(record, role), shown_work(words), shown_beside(words)};
    std::pair<int, int> first{1 << 30, 0};
    for (const auto& [blocks, warp] : role.warps)
      first = std::min(first, std::pair(warp, blocks.rank));
    ordered.emplace_back(Order{stage_of(words), first.second, first.first}, std::move(role));
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, role] : ordered) found.roles.push_back(std::move(role));
  return found;
}

}  // namespace aisp::lab
