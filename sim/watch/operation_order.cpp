#include "sim/watch/operation_order.hpp"

#include <algorithm>

namespace aisp::sim::watch {

void join(ChainClock& into, const ChainClock& other) {
  if (into.size() < other.size()) into.resize(other.size());
  for (std::size_t i = 0; i < other.size(); ++i) into[i] = std::max(into[i], other[i]);
}

ChainClock before(const OrderNode& node) {
  ChainClock clock = node.clock;
  --clock[node.chain];
  return clock;
}

void EndedNodes::add(const EndedNodes& other) {
  join(clock_, other.clock_);
  for (const OrderNodePtr& node : other.alone_) add(node);
}

void EndedNodes::add(const OrderNodePtr& node) {
  if (holds(*node)) return;
  ChainClock all = clock_;
  join(all, before(*node));
  if (all == clock_) return join(clock_, node->clock);
  alone_.push_back(node);
  if (alone_.size() > most_alone) alone_.erase(alone_.begin());
}

bool EndedNodes::holds(const OrderNode& node) const {
  return covers(clock_, node) || std::any_of(alone_.begin(), alone_.end(),
                                             [&](const auto& one) { return one.get() == &node; });
}

void OperationOrder::found_earlier(OrderNodePtr wait, ChainClock clock) {
  std::erase_if(late_, [&](const LateEdge& edge) {
    ChainClock known = host_;
    join(known, edge.clock);
    return known == host_ && covers(host_, *edge.wait);
  });
  late_.push_back({std::move(wait), std::move(clock)});
}

void OperationOrder::close(ChainClock& clock) const {
  for (bool grown = !late_.empty(); grown;) {
    const ChainClock before_this = clock;
    for (const LateEdge& edge : late_)
      if (covers(clock, *edge.wait)) join(clock, edge.clock);
    grown = clock != before_this;
  }
}

std::shared_ptr<OrderNode> OperationOrder::add(ChainClock clock, bool kernel,
                                               const OrderNode* likely, OrderNodePtr inside) {
  if (!inside) join(clock, host_);
  close(clock);
  clock.resize(tails_.size());
  // Any chain whose last operation comes before this one can go on with it, so that there are never
  // more chains than operations were unordered at a time.
  const auto goes_on = [&](std::size_t chain) { return clock[chain] >= tails_[chain]; };
  std::size_t chain = likely != nullptr ? likely->chain : 0;
  if (chain >= tails_.size() || !goes_on(chain))
    for (chain = 0; chain < tails_.size() && !goes_on(chain); ++chain) {
    }
  if (chain == tails_.size()) {
    tails_.push_back(0);
    clock.push_back(0);
  }
  auto node = std::make_shared<OrderNode>();
  node->chain = static_cast<std::uint32_t>(chain);
  node->time = clock[chain] = ++tails_[chain];
  node->kernel = kernel;
  node->inside = std::move(inside);
  node->clock = std::move(clock);
  return node;
}

}  // namespace aisp::sim::watch
