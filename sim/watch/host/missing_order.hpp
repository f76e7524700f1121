// Which conflicts of operations follow from another one: an event between two operations orders all
// that comes before the first of them before all that comes after the second.
#pragma once

#include <deque>

#include "sim/watch/finding.hpp"
#include "sim/watch/operation_order.hpp"

namespace aisp::sim::watch {

class MissingOrder {
 public:
  // `earlier` and `later`, as submitted, are in no order; that is the finding of this number.
  void add(OrderNodePtr earlier, OrderNodePtr later, FindingNumber finding);
  // Compares all of them, and notes in the findings which follow from which.
  void settle(Findings& findings) const;

 private:
  struct Pair {
    OrderNodePtr earlier, later;
    FindingNumber finding;
  };
  std::deque<Pair> pairs_;  // the last ones
};

}  // namespace aisp::sim::watch
