#include "sim/cudart/engines.hpp"

#include <algorithm>

namespace sim {

Engines::Engines()
    : multiprocessors_(most_devices, Multiprocessors(Runtime::get().model.multiprocessors)) {}

double Engines::free_at(const Share& share, double ready) const {
  if (share.engine == Engine::none) return ready;
  if (share.engine == Engine::compute) {
    const Multiprocessors& own = multiprocessors_[static_cast<std::size_t>(share.device)];
    return own.free_at(share.multiprocessors, ready + share.latency) - share.latency;
  }
  const auto engine = static_cast<int>(share.engine);
  double at = std::max(ready, taken_until_[share.device][engine]);
  for (const int end : share.ends)
    if (end >= 0) at = std::max(at, taken_until_[end][engine]);
  return at;
}

void Engines::take(const Share& share, double start, double end) {
  if (end <= start) return;
  if (share.engine == Engine::compute) {
    Multiprocessors& own = multiprocessors_[static_cast<std::size_t>(share.device)];
    return own.take(share.multiprocessors, start + share.latency, end);
  }
  const auto engine = static_cast<int>(share.engine);
  taken_until_[share.device][engine] = end;
  for (const int other : share.ends)
    if (other >= 0) taken_until_[other][engine] = end;
}

}  // namespace sim
