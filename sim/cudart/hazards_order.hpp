// Which operations of the device are ordered by what the program asked for: streams, events, graph
// edges, and what the host has waited for. What a run happens to do plays no part.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace sim::hazards {

// Operations that all follow each other are a chain; for each chain, the last one that is known to
// come before. Exact: a comes before b if and only if b's clock covers a.
using Clock = std::vector<std::uint32_t>;

struct Node {
  std::uint32_t chain = 0, time = 0;  // times count from 1
  bool kernel = false;
  Clock clock;  // of what comes before it, and itself
};
using NodePtr = std::shared_ptr<const Node>;

inline bool covers(const Clock& clock, const Node& node) {
  return node.chain < clock.size() && clock[node.chain] >= node.time;
}
void join(Clock& into, const Clock& other);
Clock before(const Node& node);  // its clock without itself

class Order {
 public:
  // A node after `clock` and after all that the host knows. `likely`: of what it follows.
  NodePtr add(Clock clock, bool kernel, const Node* likely);

  // Host threads are taken for one: how they tell each other what they waited for is not seen.
  const Clock& host() const { return host_; }
  void host_waited(const Clock& clock) { join(host_, clock); }
  const Clock& everything() const { return tails_; }  // submitted so far

 private:
  Clock host_, tails_;
};

}  // namespace sim::hazards
