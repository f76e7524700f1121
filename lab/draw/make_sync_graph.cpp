#include "lab/draw/make_sync_graph.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/kernel_name.hpp"
#include "base/refuse.hpp"
#include "base/text.hpp"
#include "lab/draw/sync_nodes.hpp"
#include "lab/draw/sync_roles.hpp"
#include "lab/draw/sync_words.hpp"
#include "lab/profile/demangle.hpp"

namespace aisp::lab {
namespace {

// One line of an arrow: what is done, by whom, with how many bytes each.
struct Deed {
  std::size_t node = 0;
  SyncDeed deed{};
  std::string how;
  std::size_t role = 0;
  std::int64_t bytes = 0;
  auto operator<=>(const Deed&) const = default;
};

struct Tally {
  std::map<SyncBlocks, std::int64_t> amount, remote;         // of the role's warps in a block
  std::map<std::pair<SyncBlocks, int>, std::int64_t> times;  // of one warp
  std::set<std::string> places;
};

class Edges {
 public:
  Edges(const SyncRecord& record, const RolesFound& roles, const NodesFound& nodes)
      : record_(record), roles_(roles), nodes_(nodes) {
    for (std::size_t log = 0; log < record.logs.size(); ++log)
      for (const auto& event : record.logs[log].events)
        if (event.deed != SyncDeed::init) add(log, event);
  }

  std::vector<SyncEdge> made() {
    for (const auto& [deed, tally] : tallies_) make(deed, tally);
    std::stable_sort(edges_.begin(), edges_.end(), [](const SyncEdge& a, const SyncEdge& b) {
      return std::tuple(a.node, a.arrow == SyncArrow::wait, a.role) <
             std::tuple(b.node, b.arrow == SyncArrow::wait, b.role);
    });
    return std::move(edges_);
  }

 private:
  bool meets(std::size_t node) const {
    const SyncObject object = nodes_.nodes[node].object;
    return object == SyncObject::named || object == SyncObject::cluster ||
           object == SyncObject::grid;
  }

  void add(std::size_t log, const SyncEvent& event) {
    const SyncBlocks blocks{log, event.rank};
    const std::size_t node = nodes_.node_of.at({log, event.barrier});
    Tally& tally =
        tallies_[{node, event.deed, event.how, roles_.of(blocks, event.warp), event.bytes}];
    const bool bytes = event.deed == SyncDeed::expect || event.deed == SyncDeed::complete;
    const std::int64_t amount = bytes ? event.times : event.amount;
    tally.amount[blocks] += amount;
    if (event.barrier.object == SyncObject::mbarrier && event.barrier.rank != event.rank)
      tally.remote[blocks] += amount;
    tally.times[{blocks, event.warp}] += event.times;
    const SyncPlace& place = record_.places[event.place];
    tally.places.insert(base::say(opcode_of(place), " at ", shown_chain(place)));
  }

  Spread over_blocks(std::size_t role, const std::map<SyncBlocks, std::int64_t>& values) const {
    Spread spread{INT64_MAX, 0};
    for (const auto& blocks : roles_.roles[role].blocks) {
      const auto found = values.find(blocks);
      const std::int64_t value = found == values.end() ? 0 : found->second;
      spread = {std::min(spread.least, value), std::max(spread.most, value)};
    }
    return spread;
  }

  // How often a warp of the role did it: the one in each block that did so most.
  Spread by_warp(const Deed& deed, const Tally& tally) const {
    std::map<SyncBlocks, std::int64_t> most;
    for (const auto& [who, times] : tally.times) most[who.first] = std::max(most[who.first], times);
    return over_blocks(deed.role, most);
  }

  // The arrow that the deed belongs to.
  SyncEdge& edge(const Deed& deed, SyncArrow arrow) {
    const auto known = std::find_if(edges_.begin(), edges_.end(), [&](const SyncEdge& one) {
      return one.role == deed.role && one.node == deed.node && one.arrow == arrow;
    });
    if (known != edges_.end()) return *known;
    return edges_.emplace_back(SyncEdge{deed.role, deed.node, arrow, {}, {}});
  }

  void write(const Deed& deed, const Tally& tally, SyncArrow arrow, std::string line) {
    if (const Spread remote = over_blocks(deed.role, tally.remote); remote.most > 0)
      line += remote == over_blocks(deed.role, tally.amount)
                  ? " at other blocks"
                  : base::say(", ", shown(remote), " at other blocks");
    SyncEdge& into = edge(deed, arrow);
    into.lines.push_back(std::move(line));
    for (const auto& place : tally.places)
      if (std::find(into.places.begin(), into.places.end(), place) == into.places.end())
        into.places.push_back(place);
  }

  // Arrivals of a barrier that threads meet at, with the waits that belong to them.
  void make_meeting(const Deed& deed, const Tally& tally) {
    Deed other = deed;
    other.deed = deed.deed == SyncDeed::wait ? SyncDeed::arrive : SyncDeed::wait;
    const auto partner = tallies_.find(other);
    if (deed.deed == SyncDeed::wait) {
      if (partner == tallies_.end())
        write(deed, tally, SyncArrow::wait, "wait x" + shown(by_warp(deed, tally)));
      return;  // else told with the arrivals
    }
    const Spread arrivals = by_warp(deed, tally);
    if (partner == tallies_.end())
      return write(deed, tally, SyncArrow::signal, "arrive x" + shown(arrivals));
    const Spread waits = by_warp(other, partner->second);
    Tally both = tally;
    both.places.insert(partner->second.places.begin(), partner->second.places.end());
    write(deed, both, SyncArrow::meet,
          arrivals == waits ? "sync x" + shown(arrivals)
                            : base::say("arrive x", shown(arrivals), ", wait x", shown(waits)));
  }

  void make(const Deed& deed, const Tally& tally) {
    if (meets(deed.node)) return make_meeting(deed, tally);
    const SyncArrow arrow = deed.deed == SyncDeed::wait ? SyncArrow::wait
                            : deed.how.empty()          ? SyncArrow::signal
                                                        : SyncArrow::asynchronous;
    const std::string amount = shown(over_blocks(deed.role, tally.amount));
    switch (deed.deed) {
      case SyncDeed::wait:
        return write(deed, tally, arrow, "wait x" + shown(by_warp(deed, tally)));
      case SyncDeed::expect:
        return write(deed, tally, arrow,
                     base::say("expect ", amount, " x ", shown_bytes(deed.bytes)));
      case SyncDeed::complete:
        return write(deed, tally, arrow,
                     base::say(deed.how.empty() ? "complete" : deed.how, " ", amount, " x ",
                               shown_bytes(deed.bytes)));
      default:
        return write(deed, tally, arrow,
                     base::say(deed.how.empty() ? "arrive" : deed.how, " x", amount));
    }
  }

  const SyncRecord& record_;
  const RolesFound& roles_;
  const NodesFound& nodes_;
  std::map<Deed, Tally> tallies_;
  std::vector<SyncEdge> edges_;
};

std::string extent(const std::array<std::int64_t, 3>& of) {
  std::string text = base::say(of[0]);
  if (of[1] > 1 || of[2] > 1) text += base::say("x", of[1]);
  if (of[2] > 1) text += base::say("x", of[2]);
  return text;
}

}  // namespace

SyncGraph sync_graph_of(const SyncRecord& record) {
  const NodesFound nodes = find_nodes(record);
  const RolesFound roles = find_roles(record, nodes);
  SyncGraph graph;
  graph.kernel = base::shown_kernel_name(readable(record.kernel));
  graph.extents = base::say(
      "grid ", extent(record.grid), ", ",
      record.cluster_blocks() > 1 ? base::say("cluster ", extent(record.cluster), ", ") : "",
      record.block[0] * record.block[1] * record.block[2], " threads");
  for (const auto& role : roles.roles) graph.roles.push_back(role.text);
  graph.nodes = nodes.nodes;
  graph.edges = Edges(record, roles, nodes).made();
  if (!roles.silent.empty() && !roles.roles.empty())
    graph.notes.push_back(
        base::say(roles.silent.size() == 1 ? "warp " : "warps ", ranges(roles.silent),
                  roles.silent.size() == 1 ? " synchronises" : " synchronise", " with nobody"));
  if (record.stopped) graph.notes.push_back("a fault stopped the kernel: what it did until then");
  return graph;
}

}  // namespace aisp::lab
