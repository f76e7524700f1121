#include "sim/runtime/stream/engines.hpp"

#include <algorithm>

#include "sim/runtime/state/runtime.hpp"

namespace aisp::sim {

namespace {

const std::vector<int>& sms_of(const EngineUse& use) {
  static const std::vector<int> all;
  return use.part ? use.part->sms : all;
}

}  // namespace

Engines::Engines()
    : multiprocessors_(most_devices, Multiprocessors(Runtime::get().model.multiprocessors)) {}

double Engines::free_at(const EngineUse& use, double ready) const {
  if (use.engine == Engine::none) return ready;
  if (use.engine == Engine::compute) {
    const Multiprocessors& own = multiprocessors_[static_cast<std::size_t>(use.device)];
    return own.free_at(use.multiprocessors, ready + use.latency, sms_of(use)) - use.latency;
  }
  const auto engine = static_cast<int>(use.engine);
  double at = std::max(ready, taken_until_[use.device][engine]);
  for (const int end : use.ends)
    if (end >= 0) at = std::max(at, taken_until_[end][engine]);
  return at;
}

void Engines::take(const EngineUse& use, double start, double end) {
  if (end <= start) return;
  if (use.engine == Engine::compute) {
    Multiprocessors& own = multiprocessors_[static_cast<std::size_t>(use.device)];
    return own.take(use.multiprocessors, start + use.latency, end, sms_of(use));
  }
  const auto engine = static_cast<int>(use.engine);
  taken_until_[use.device][engine] = end;
  for (const int other : use.ends)
    if (other >= 0) taken_until_[other][engine] = end;
}

}  // namespace aisp::sim
