#include "lab/draw/sync_nodes.hpp"

#include <algorithm>
#include <tuple>

#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/draw/behaviour.hpp"
#include "lab/draw/sync_words.hpp"
#include "lab/profile/demangle.hpp"

namespace aisp::lab {
namespace {

using Use = std::tuple<SyncDeed, std::string, std::string>;  // ..., how, place
constexpr std::int64_t mbarrier_bytes = 8;

struct Seen {
  std::set<Use> uses;
  std::set<std::string> inits;  // identities of places
  std::set<std::size_t> init_places;
  std::set<std::int64_t> expected;
  std::int64_t phases = 0;
};
using AllSeen = std::map<BarrierSeen, Seen>;

// What barriers must have in common to be one node: a number where it names them, the init else.
using Kin = std::tuple<SyncObject, std::int64_t, std::set<std::string>, std::set<std::int64_t>>;

Kin kin_of(const SyncBarrier& barrier, const Seen& seen) {
  if (barrier.object != SyncObject::mbarrier) return {barrier.object, barrier.number, {}, {}};
  return {barrier.object, 0, seen.inits, seen.expected};
}

AllSeen seen_in(const SyncRecord& record) {
  AllSeen all;
  for (std::size_t log = 0; log < record.logs.size(); ++log) {
    for (const auto& facts : record.logs[log].barriers) {
      Seen& seen = all[{log, facts.barrier}];
      seen.expected = facts.expected;
      seen.phases = facts.phases;
    }
    for (const auto& event : record.logs[log].events) {
      Seen& seen = all[{log, event.barrier}];
      const SyncPlace& place = record.places[event.place];
      if (event.deed == SyncDeed::init) {
        seen.inits.insert(identity(place));
        seen.init_places.insert(event.place);
      } else {
        seen.uses.insert({event.deed, event.how, caller_identity(place)});
      }
    }
  }
  return all;
}

// "full" for a variable that the ring fills, "storage+1024" within a larger one.
std::string name_in(const SyncVariable& variable, const std::set<std::int64_t>& offsets) {
  std::string name = readable(variable.name);
  // nvcc calls it by its function: "kernel(float*)::full".
  if (const auto scope = name.rfind("::"); scope != std::string::npos) name.erase(0, scope + 2);
  const std::int64_t from = *offsets.begin() - variable.offset;
  const bool whole =
      from == 0 && variable.bytes == mbarrier_bytes * static_cast<std::int64_t>(offsets.size());
  return whole ? name : base::say(name, "+", from);
}

class NodeMaker {
 public:
  NodeMaker(const SyncRecord& record, const AllSeen& all) : record_(record), all_(all) {}

  SyncNode make(const std::vector<BarrierSeen>& members) const {
    SyncNode node;
    node.object = members.front().barrier.object;
    std::set<std::int64_t> offsets, expected;
    std::set<std::size_t> inits;
    std::map<std::pair<std::size_t, int>, Spread> by_block;  // least: barriers, most: phases
    for (const auto& member : members) {
      const Seen& seen = all_.at(member);
      offsets.insert(member.barrier.number);
      expected.insert(seen.expected.begin(), seen.expected.end());
      inits.insert(seen.init_places.begin(), seen.init_places.end());
      Spread& block = by_block[{member.log, member.barrier.rank}];
      ++block.least;
      block.most += seen.phases;
    }
    Spread phases{INT64_MAX, 0};
    for (const auto& [block, one] : by_block) {
      node.stages = std::max(node.stages, static_cast<int>(one.least));
      phases = {std::min(phases.least, one.most), std::max(phases.most, one.most)};
    }
    std::set<std::string> places;
    for (const auto place : inits) places.insert(shown_chain(record_.places[place]));
    for (const auto& place : places) node.places.push_back("init at " + place);
    node.name = name_of(node, offsets, inits);
    node.counts = counts_of(node, expected, phases);
    return node;
  }

 private:
  std::string name_of(const SyncNode& node, const std::set<std::int64_t>& offsets,
                      const std::set<std::size_t>& inits) const {
    switch (node.object) {
      case SyncObject::named:
        return *offsets.begin() == 0 ? "__syncthreads" : base::say("barrier ", *offsets.begin());
      case SyncObject::cluster:
        return "cluster barrier";
      case SyncObject::grid:
        return "grid barrier";
      case SyncObject::grid_before:
        return "the grid before";
      case SyncObject::grid_behind:
        return "the grid behind";
      case SyncObject::mbarrier:
        break;
    }
    for (const auto& variable : record_.shared)
      if (*offsets.begin() >= variable.offset &&
          *offsets.rbegin() < variable.offset + variable.bytes)
        return name_in(variable, offsets);
    std::set<std::string> lines;
    for (const auto place : inits) lines.insert(shown_line(record_.places[place]));
    return lines.empty() ? "without init" : *lines.begin();
  }

  static std::string counts_of(const SyncNode& node, const std::set<std::int64_t>& expected,
                               const Spread& phases) {
    if (expected.empty()) return "";
    std::vector<std::string> numbers;
    for (const auto number : expected) numbers.push_back(base::say(number));
    const std::string count = base::join(numbers, " or ");
    return base::say(node.object == SyncObject::mbarrier ? "count " + count : count + " threads",
                     ", ", shown(phases), phases == Spread{1, 1} ? " phase" : " phases");
  }

  const SyncRecord& record_;
  const AllSeen& all_;
};

// "a.cuh:4" of "init at p.cuh:1 < a.cuh:4 < k.cu:9" -> "a.cuh:4 < k.cu:9"
std::string with_caller(const SyncNode& node) {
  if (node.places.size() != 1) return node.name;
  const std::string& chain = node.places[0];
  const std::size_t from = chain.find(" " + node.name + " < ");
  if (from == std::string::npos) return node.name;
  const std::size_t caller = from + node.name.size() + 4;
  return chain.substr(from + 1, chain.find(' ', caller) - from - 1);
}

// Nodes of one name get the line that calls it, too; where that is the same, a letter.
void tell_apart(std::vector<SyncNode>& nodes) {
  const auto times = [&](const std::string& name) {
    return std::count_if(nodes.begin(), nodes.end(),
                         [&](const SyncNode& node) { return node.name == name; });
  };
  std::vector<std::string> longer;
  for (const auto& node : nodes)
    longer.push_back(times(node.name) > 1 ? with_caller(node) : node.name);
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i].name = longer[i];
  std::map<std::string, int> given;
  std::vector<bool> several;
  for (const auto& node : nodes) several.push_back(times(node.name) > 1);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (several[i])
      nodes[i].name += base::say(" (", static_cast<char>('a' + given[nodes[i].name]++ % 26), ")");
}

// What each of them is used for. A block that leaves something out means the barrier that lies at
// the same place in the others.
std::vector<std::set<Use>> uses_of(const AllSeen& all, const std::vector<BarrierSeen>& members) {
  std::map<SyncBarrier, std::vector<std::size_t>> places;
  for (std::size_t i = 0; i < members.size(); ++i) places[members[i].barrier].push_back(i);
  std::vector<std::set<Use>> uses(members.size());
  for (const auto& [barrier, here] : places) {
    std::vector<std::set<Use>> own;
    for (const std::size_t i : here) own.push_back(all.at(members[i]).uses);
    const auto kinds = absorbed(own);
    for (std::size_t i = 0; i < here.size(); ++i) uses[here[i]] = kinds[i];
  }
  return uses;
}

}  // namespace

NodesFound find_nodes(const SyncRecord& record) {
  const AllSeen all = seen_in(record);
  std::map<Kin, std::vector<BarrierSeen>> families;
  for (const auto& [which, seen] : all) families[kin_of(which.barrier, seen)].push_back(which);
  // By what they are, then by where they lie.
  std::map<std::tuple<SyncObject, std::int64_t, int>, std::vector<BarrierSeen>> ordered;
  for (const auto& [kin, members] : families) {
    const auto kinds = absorbed(uses_of(all, members));
    std::map<std::set<Use>, std::vector<BarrierSeen>> rings;
    for (std::size_t i = 0; i < members.size(); ++i)
      if (!kinds[i].empty()) rings[kinds[i]].push_back(members[i]);
    for (const auto& [use, ring] : rings) {
      std::pair<std::int64_t, int> first{INT64_MAX, 0};
      for (const auto& one : ring)
        first = std::min(first, std::pair(one.barrier.number, one.barrier.rank));
      auto& place = ordered[{ring.front().barrier.object, first.first, first.second}];
      place.insert(place.end(), ring.begin(), ring.end());
    }
  }
  NodesFound found;
  const NodeMaker maker(record, all);
  for (const auto& [order, ring] : ordered) {
    for (const auto& one : ring) found.node_of[one] = found.nodes.size();
    found.nodes.push_back(maker.make(ring));
  }
  tell_apart(found.nodes);
  return found;
}

}  // namespace aisp::lab
