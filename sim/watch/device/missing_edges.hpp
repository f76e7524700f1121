// Which findings follow from another one. A finding says that something is missing between two
// events. A later pair of events follows from it when the missing order would have ordered that
// pair, too: the first event comes before the finding's first one, and the second event is made by
// a thread that knows of the finding's second one.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/watch/device/clock.hpp"
#include "sim/watch/finding.hpp"

namespace aisp::sim::watch {

struct Event {
  Actor actor = 0;
  Mask lanes = 0;
  std::uint32_t time = 0;  // of the actor's channel
  std::uint32_t pc = 0;
  // Of an asynchronous operation: the warp and the lanes that issued it, and their time. 0:
  // unknown.
  Actor issuer = 0;
  Mask issuer_lanes = 0;
  std::uint32_t issued = 0;
};

// True when `first` is `second`, or comes before it in the program order of one warp, or in the
// order in which one mbarrier's phases complete.
bool precedes(const Event& first, const Event& second);

class MissingEdges {
 public:
  struct Edge {
    Event before, after;
    FindingNumber root = no_finding;
  };

  void add(const Event& before, const Event& after, FindingNumber root);
  // The root of the first edge, the newest first, whose first event is `before` or comes after it,
  // and for which `holds(edge)` is true; no_finding: there is none.
  template <class Holds>
  FindingNumber find(const Event& before, Holds&& holds) const {
    const auto found = edges_.find(key_of(before.actor));
    if (found == edges_.end()) return no_finding;
    for (auto edge = found->second.rbegin(); edge != found->second.rend(); ++edge)
      if (precedes(before, edge->before) && holds(*edge)) return edge->root;
    return no_finding;
  }
  // The same over all edges.
  template <class Holds>
  FindingNumber find_any(Holds&& holds) const {
    for (const auto& [key, edges] : edges_)
      for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge)
        if (holds(*edge)) return edge->root;
    return no_finding;
  }

  // A finding about an mbarrier, or about two copies that complete at it in no order: what waits
  // there for ever follows from it. The first finding is kept.
  void disturb(Actor mbarrier, FindingNumber root) { disturbed_.try_emplace(mbarrier, root); }
  FindingNumber disturbance_of(Actor mbarrier) const {
    const auto found = disturbed_.find(mbarrier);
    return found == disturbed_.end() ? no_finding : found->second;
  }

 private:
  static std::uint64_t key_of(Actor actor);  // of all channels of a warp

  std::map<std::uint64_t, std::vector<Edge>> edges_;
  std::map<Actor, FindingNumber> disturbed_;
};

}  // namespace aisp::sim::watch
