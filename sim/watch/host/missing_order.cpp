#include "sim/watch/host/missing_order.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace aisp::sim::watch {
namespace {

bool comes_first(const OrderNodePtr& a, const OrderNodePtr& b) {
  return a == b || covers(b->clock, *a);
}

}  // namespace

void MissingOrder::add(OrderNodePtr earlier, OrderNodePtr later, FindingNumber finding) {
  constexpr std::size_t most_pairs = 256;
  if (!earlier || !later || finding == no_finding) return;
  if (pairs_.size() == most_pairs) pairs_.pop_front();
  pairs_.push_back({std::move(earlier), std::move(later), finding});
}

void MissingOrder::settle(Findings& findings) const {
  const auto explains = [](const Pair& root, const Pair& pair) {
    return root.finding != pair.finding &&
           (root.earlier != pair.earlier || root.later != pair.later) &&
           comes_first(pair.earlier, root.earlier) && comes_first(root.later, pair.later);
  };
  std::vector<const Pair*> innermost;  // of which nothing lies in between
  std::set<FindingNumber> roots;
  for (const Pair& pair : pairs_)
    if (std::none_of(pairs_.begin(), pairs_.end(),
                     [&](const Pair& other) { return explains(other, pair); })) {
      innermost.push_back(&pair);
      roots.insert(pair.finding);
    }
  std::map<FindingNumber, std::set<FindingNumber>> follows;
  for (const Pair& pair : pairs_)
    for (const Pair* root : innermost)
      if (explains(*root, pair)) follows[pair.finding].insert(root->finding);
  for (auto& [finding, from] : follows)
    findings.set_follows(finding, roots.count(finding) != 0 ? std::set<FindingNumber>{} : from);
}

}  // namespace aisp::sim::watch
