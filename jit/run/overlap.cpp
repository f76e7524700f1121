#include "jit/run/overlap.hpp"

#include <algorithm>
#include <vector>

namespace aisp::jit {
namespace {

// A step in bytes that may be taken so many times, both included.
struct Steps {
  std::int64_t bytes, least, most;
};

bool empty(const StridedBytes& tensor) {
  return std::find(tensor.extents.begin(), tensor.extents.end(), 0) != tensor.extents.end();
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

ByteRange range_of(const StridedBytes& tensor) {
  if (empty(tensor)) return {0, 0};
  std::int64_t below = 0, above = tensor.width;
  for (std::size_t at = 0; at < tensor.extents.size(); ++at) {
    const std::int64_t span = (tensor.extents[at] - 1) * tensor.strides[at] * tensor.width;
    (span < 0 ? below : above) += span;
  }
  return {tensor.first + static_cast<std::uintptr_t>(below),
          tensor.first + static_cast<std::uintptr_t>(above)};
}

// Every index steps over all that the shorter steps reach: as almost every tensor does.
bool nested(const StridedBytes& tensor) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // how long, how many
  for (std::size_t at = 0; at < tensor.extents.size(); ++at)
    if (tensor.extents[at] > 1)
      steps.emplace_back(std::abs(tensor.strides[at]), tensor.extents[at]);
  std::sort(steps.begin(), steps.end());
  std::int64_t reach = 0;
  for (const auto& [step, count] : steps) {
    if (step <= reach) return false;
    reach += (count - 1) * step;
  }
  return true;
}

}  // namespace

StridedBytes strided(const Tensor& tensor) {
  const auto rank = static_cast<std::size_t>(tensor.rank);
  return {reinterpret_cast<std::uintptr_t>(tensor.data),
          static_cast<std::int64_t>(bytes_of(tensor.element)),
          {tensor.extents.data(), rank},
          {tensor.strides.data(), rank}};
}

ByteRange bytes_of(const Tensor& tensor) { return range_of(strided(tensor)); }

bool overlap(const StridedBytes& a, const StridedBytes& b) {
  if (!meet(range_of(a), range_of(b))) return false;
  std::vector<Steps> steps;
  for (std::size_t at = 0; at < a.extents.size(); ++at)
    add(steps, a.strides[at] * a.width, 0, a.extents[at] - 1);
  for (std::size_t at = 0; at < b.extents.size(); ++at)
    add(steps, b.strides[at] * b.width, -(b.extents[at] - 1), 0);
  add(steps, 1, -(b.width - 1), a.width - 1);  // the bytes of both elements
  return leads_to(std::move(steps), static_cast<std::int64_t>(b.first - a.first));
}

// Two different elements meet where their first index that differs is made good by the others.
bool overlaps_itself(const StridedBytes& tensor) {
  if (empty(tensor) || nested(tensor)) return false;
  int tries = 1 << 14;
  for (std::size_t at = 0; at < tensor.extents.size(); ++at) {
    if (tensor.extents[at] == 1) continue;
    if (tensor.strides[at] == 0) return true;
    std::vector<Steps> steps;
    for (std::size_t next = at + 1; next < tensor.extents.size(); ++next)
      add(steps, tensor.strides[next], 1 - tensor.extents[next], tensor.extents[next] - 1);
    std::int64_t most = 0;  // that the others can make good
    for (const Steps& one : steps) most += one.bytes * one.most;
    const std::int64_t step = std::abs(tensor.strides[at]);
    for (std::int64_t count = 1; count < tensor.extents[at] && count * step <= most; ++count)
      if (--tries < 0 || leads_to(steps, count * step)) return true;
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
