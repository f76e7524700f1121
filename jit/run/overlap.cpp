#include "jit/run/overlap.hpp"

#include <algorithm>
#include <vector>

namespace aisp::jit {
namespace {

// A step in bytes that may be taken so many times, both included.
struct Steps {
  std::int64_t bytes, least, most;
};

bool empty(const Tensor& tensor) {
  for (int axis = 0; axis < tensor.rank; ++axis)
    if (tensor.extents[static_cast<std::size_t>(axis)] == 0) return true;
  return false;
}

// Whether some steps, longest first, lead to `distance`. Where each step is longer than all
// shorter ones together there are two numbers to try for it; `tries` ends what is not so.
bool reaches(const std::vector<Steps>& steps, std::size_t at, std::int64_t distance, int& tries) {
  if (at == steps.size()) return distance == 0;
  if (--tries < 0) return true;
  std::int64_t below = 0, above = 0;  // what the shorter ones can make
  for (std::size_t other = at + 1; other < steps.size(); ++other) {
    below += steps[other].bytes * steps[other].least;
    above += steps[other].bytes * steps[other].most;
  }
  const auto floor = [](std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); };
  const Steps& own = steps[at];
  const std::int64_t first = std::max(own.least, -floor(above - distance, own.bytes));
  const std::int64_t last = std::min(own.most, floor(distance - below, own.bytes));
  for (std::int64_t count = first; count <= last; ++count)
    if (reaches(steps, at + 1, distance - count * own.bytes, tries)) return true;
  return false;
}

void add(std::vector<Steps>& steps, std::int64_t bytes, std::int64_t least, std::int64_t most) {
  if (bytes < 0) {
    std::swap(least, most);
    bytes = -bytes, least = -least, most = -most;
  }
  if (bytes == 0) return;
  for (Steps& one : steps)
    if (one.bytes == bytes) {
      one.least += least;
      one.most += most;
      return;
    }
  steps.push_back({bytes, least, most});
}

bool leads_to(std::vector<Steps> steps, std::int64_t distance) {
  std::sort(steps.begin(), steps.end(),
            [](const Steps& a, const Steps& b) { return a.bytes > b.bytes; });
  int tries = 1 << 14;
  return reaches(steps, 0, distance, tries);
}

}  // namespace

ByteRange bytes_of(const Tensor& tensor) {
  if (empty(tensor)) return {0, 0};
  const auto width = static_cast<std::int64_t>(bytes_of(tensor.element));
  std::int64_t below = 0, above = width;
  for (int axis = 0; axis < tensor.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t span = (tensor.extents[at] - 1) * tensor.strides[at] * width;
    (span < 0 ? below : above) += span;
  }
  const auto first = reinterpret_cast<std::uintptr_t>(tensor.data);
  return {first + static_cast<std::uintptr_t>(below), first + static_cast<std::uintptr_t>(above)};
}

bool overlap(const Tensor& a, const Tensor& b) {
  if (!meet(bytes_of(a), bytes_of(b))) return false;
  const auto width_a = static_cast<std::int64_t>(bytes_of(a.element)),
             width_b = static_cast<std::int64_t>(bytes_of(b.element));
  std::vector<Steps> steps;
  for (int axis = 0; axis < a.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    add(steps, a.strides[at] * width_a, 0, a.extents[at] - 1);
  }
  for (int axis = 0; axis < b.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    add(steps, b.strides[at] * width_b, -(b.extents[at] - 1), 0);
  }
  add(steps, 1, -(width_b - 1), width_a - 1);  // the bytes of both elements
  const auto distance = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data) -
                                                  reinterpret_cast<std::uintptr_t>(a.data));
  return leads_to(std::move(steps), distance);
}

// Every axis steps over all that lies behind it: as almost every tensor does.
static bool row_major(const Tensor& tensor) {
  std::int64_t span = 0;
  for (int axis = tensor.rank; axis-- > 0;) {
    const auto at = static_cast<std::size_t>(axis);
    if (tensor.extents[at] == 1) continue;
    if (tensor.strides[at] <= span) return false;
    span += (tensor.extents[at] - 1) * tensor.strides[at];
  }
  return true;
}

// Two different elements meet where their first axis that differs is made good by the others.
bool overlaps_itself(const Tensor& tensor) {
  if (empty(tensor) || row_major(tensor)) return false;
  for (int axis = 0; axis < tensor.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (tensor.extents[at] == 1) continue;
    if (tensor.strides[at] == 0) return true;
    std::vector<Steps> steps;
    for (int other = axis + 1; other < tensor.rank; ++other) {
      const auto next = static_cast<std::size_t>(other);
      add(steps, tensor.strides[next], 1 - tensor.extents[next], tensor.extents[next] - 1);
    }
    std::int64_t most = 0;  // that the others can make good
    for (const Steps& one : steps) most += one.bytes * one.most;
    const std::int64_t step = std::abs(tensor.strides[at]);
    for (std::int64_t count = 1; count < tensor.extents[at] && count * step <= most; ++count)
      if (leads_to(steps, count * step)) return true;
  }
  return false;
}

bool same_place(const Tensor& a, const Tensor& b) {
  if (a.data != b.data || a.element != b.element || a.rank != b.rank || a.extents != b.extents)
    return false;
  for (int axis = 0; axis < a.rank; ++axis) {
    const auto at = static_cast<std::size_t>(axis);
    if (a.extents[at] > 1 && a.strides[at] != b.strides[at]) return false;
  }
  return true;
}

}  // namespace aisp::jit
