// Which operations of the device are ordered by what the program asked for: streams, events, graph
// edges, and what the host has waited for. What a run happens to do plays no part.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace aisp::sim::watch {

// Operations that all follow each other are a chain; for each chain, the last one that is known to
// come before. Exact: a comes before b if and only if b's clock covers a.
using ChainClock = std::vector<std::uint32_t>;

struct StreamOperation;

struct OrderNode {
  std::uint32_t chain = 0, time = 0;  // times count from 1
  bool kernel = false;
  ChainClock clock;                            // of what comes before it, and itself
  std::weak_ptr<StreamOperation> operation{};  // of a kernel
  // Of work that a conditional graph node came down to: the node's end. Whoever comes after that
  // was submitted before this one was known, and comes after it too.
  std::shared_ptr<const OrderNode> inside{};
};
using OrderNodePtr = std::shared_ptr<const OrderNode>;

inline bool covers(const ChainClock& clock, const OrderNode& node) {
  for (const OrderNode* at = &node; at != nullptr; at = at->inside.get())
    if (at->chain < clock.size() && clock[at->chain] >= at->time) return true;
  return false;
}
void join(ChainClock& into, const ChainClock& other);
ChainClock before(const OrderNode& node);  // its clock without itself

// What has ended before a programmatic launch begins, because no block of it let dependents launch
// before its end. A kernel in it need not come after the kernels ahead of it.
class EndedNodes {
 public:
  void add(const ChainClock& clock) { join(clock_, clock); }
  void add(const EndedNodes& other);
  void add(const OrderNodePtr& node);  // without what comes before it
  bool holds(const OrderNode& node) const;

 private:
  static constexpr std::size_t most_alone = 64;  // the oldest are forgotten
  ChainClock clock_;
  std::vector<OrderNodePtr> alone_;
};

class OperationOrder {
 public:
  // A node after `clock` and after all that the host knows; work inside a conditional node was
  // asked for earlier, and comes after `clock` alone. `likely`: of what it follows.
  std::shared_ptr<OrderNode> add(ChainClock clock, bool kernel, const OrderNode* likely,
                                 OrderNodePtr inside = nullptr);

  // Host threads are taken for one: how they tell each other what they waited for is not seen.
  const ChainClock& host() const { return host_; }
  void host_waited(ChainClock clock) {
    close(clock);
    join(host_, clock);
  }

  // A wait for a value in memory: who has written the value is known when the wait is over, and
  // what was submitted behind the wait comes after that, too.
  void found_earlier(OrderNodePtr wait, ChainClock clock);
  void close(ChainClock& clock) const;                     // adds what such waits bring
  const ChainClock& everything() const { return tails_; }  // submitted so far

 private:
  struct LateEdge {
    OrderNodePtr wait;
    ChainClock clock;
  };
  ChainClock host_, tails_;
  std::vector<LateEdge> late_;
};

}  // namespace aisp::sim::watch
