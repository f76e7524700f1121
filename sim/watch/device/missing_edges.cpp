#include "sim/watch/device/missing_edges.hpp"

namespace aisp::sim::watch {
namespace {

// What one lane does and waits for by itself. The other channels act for a whole warp, or for an
// mbarrier.
bool is_of_lanes(Channel channel) {
  return channel == Channel::lanes || channel == Channel::copy || channel == Channel::bulk_read ||
         channel == Channel::bulk_write;
}

}  // namespace

bool precedes(const Event& first, const Event& second) {
  if (first.actor == second.actor) {
    const Channel channel = channel_of(first.actor);
    if (is_of_lanes(channel) && (first.lanes & second.lanes) == 0) return false;
    // The time of lanes advances where they synchronise; in between, the code gives the order.
    const bool same_time = channel == Channel::lanes && first.time == second.time;
    return same_time ? first.pc <= second.pc : first.time <= second.time;
  }
  // What a lane did before it issued the operation.
  return second.issued != 0 && first.actor == second.issuer && first.time <= second.issued &&
         (first.lanes & second.issuer_lanes) != 0;
}

std::uint64_t MissingEdges::key_of(Actor actor) {
  return channel_of(actor) < Channel::mbarrier
             ? index_of(actor)
             : std::uint64_t{1} << 32 | static_cast<std::uint64_t>(actor);
}

void MissingEdges::add(const Event& before, const Event& after, FindingNumber root) {
  constexpr std::size_t most_edges = 64;  // of a warp or an mbarrier; the newest matter
  auto& edges = edges_[key_of(before.actor)];
  for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) {
    if (edge->before.actor != before.actor || edge->before.time != before.time ||
        edge->after.actor != after.actor || edge->after.time != after.time || edge->root != root)
      continue;
    edge->before.lanes |= before.lanes;
    edge->after.lanes |= after.lanes;
    return;
  }
  if (edges.size() == most_edges) edges.erase(edges.begin());
  edges.push_back({before, after, root});
}

}  // namespace aisp::sim::watch
