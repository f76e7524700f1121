#include "lab/measure/roofline.hpp"

#include <algorithm>

namespace lab {

std::string_view roof_name(Unit unit) { return unit == Unit::none ? "memory" : name_of(unit); }

std::optional<Roof> roof_of(double flops, double bytes, Unit unit, const Ceilings& ceilings) {
  const double bandwidth = ceilings.copy_bytes_per_s, rate = ceilings.rate(unit);
  const bool moves = bytes > 0.0, computes = unit != Unit::none && flops > 0.0;
  if ((!moves && !computes) || (moves && !(bandwidth > 0.0)) || (computes && !(rate > 0.0)))
    return std::nullopt;
  Roof roof;
  roof.memory_ms = moves ? 1e3 * bytes / bandwidth : 0.0;
  roof.arithmetic_ms = computes ? 1e3 * flops / rate : 0.0;
  roof.floor_ms = std::max(roof.memory_ms, roof.arithmetic_ms);
  roof.name = roof_name(roof.arithmetic_ms > roof.memory_ms ? unit : Unit::none);
  roof.intensity = moves ? flops / bytes : 0.0;
  roof.ridge = computes && bandwidth > 0.0 ? rate / bandwidth : 0.0;
  return roof;
}

bool below_floor(double median_ms, const Roof& roof, double slack, MemoryFloor memory) {
  const double arithmetic_floor = roof.arithmetic_ms * (1.0 - slack);
  const double memory_floor = roof.memory_ms * memory.travel_share / memory.headroom;
  // Written so that a NaN is below.
  return !(median_ms >= std::max(arithmetic_floor, memory_floor));
}

}  // namespace lab
