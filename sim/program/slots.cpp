#include "sim/program/slots.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>

namespace aisp::sim {
namespace {

constexpr std::uint32_t cache_line = 64;

std::uint32_t rounded(std::uint32_t bytes) { return (bytes + cache_line - 1) & ~(cache_line - 1); }

// Linear scan over the intervals of one class, the lowest free slot first. Intervals include both
// ends, so a result never lies where an operand of the same op does.
class Scan {
 public:
  std::uint32_t take(const Interval& live) {
    while (!active_.empty() && active_.top().last < live.first) {
      free_.push(active_.top().slot);
      active_.pop();
    }
    const std::uint32_t slot = lowest();
    active_.push({live.last, slot});
    return slot;
  }
  std::uint32_t take_for_ever() { return count_++; }
  std::uint32_t count() const { return count_; }

 private:
  struct Active {
    std::uint32_t last, slot;
    bool operator>(const Active& other) const { return last > other.last; }
  };
  std::uint32_t lowest() {
    if (free_.empty()) return count_++;
    const std::uint32_t slot = free_.top();
    free_.pop();
    return slot;
  }
  template <class T>
  using MinHeap = std::priority_queue<T, std::vector<T>, std::greater<T>>;
  MinHeap<Active> active_;
  MinHeap<std::uint32_t> free_;
  std::uint32_t count_ = 0;
};

}  // namespace

SlotClass slot_class(Type type) {
  if (type == Type::pred) return SlotClass::predicate;
  const int bits = bits_of(type);
  if (bits <= 32) return SlotClass::word;
  return bits <= 64 ? SlotClass::double_word : SlotClass::quad_word;
}

std::uint32_t lane_bytes(SlotClass kind) {
  constexpr std::uint32_t bytes[] = {0, 4, 8, 16};
  return bytes[static_cast<int>(kind)];
}

std::uint32_t slot_bytes(SlotClass kind) {
  return kind == SlotClass::predicate ? sizeof(Mask) : lane_bytes(kind) * lanes;
}

SlotPlan plan_slots(const std::vector<SlotRequest>& requests) {
  std::vector<std::uint32_t> order(requests.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return requests[a].live.first < requests[b].live.first;
  });
  constexpr auto classes = static_cast<std::size_t>(SlotClass::count);
  Scan scans[classes];
  std::vector<std::uint32_t> number(requests.size());
  for (const std::uint32_t index : order) {
    const SlotRequest& request = requests[index];
    Scan& scan = scans[static_cast<std::size_t>(request.kind)];
    if (request.exclusive)
      number[index] = scan.take_for_ever();
    else if (request.live.used)
      number[index] = scan.take(request.live);
  }
  SlotPlan plan;
  std::uint32_t base[classes];
  for (std::size_t kind = 0; kind < classes; ++kind) {
    const auto slot_kind = static_cast<SlotClass>(kind);
    base[kind] = plan.bytes;
    const std::uint32_t bytes = scans[kind].count() * slot_bytes(slot_kind);
    if (bytes != 0) plan.classes.push_back({plan.bytes, bytes, lane_bytes(slot_kind)});
    plan.bytes += rounded(bytes);
  }
  plan.place.assign(requests.size(), no_ref);
  for (std::size_t index = 0; index < requests.size(); ++index) {
    const SlotRequest& request = requests[index];
    if (request.exclusive || request.live.used)
      plan.place[index] =
          base[static_cast<std::size_t>(request.kind)] + number[index] * slot_bytes(request.kind);
  }
  return plan;
}

}  // namespace aisp::sim
