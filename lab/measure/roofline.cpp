#include "lab/measure/roofline.hpp"

#include <algorithm>
#include <array>

namespace aisp::lab {

std::string_view roof_name(Unit unit) { return unit == Unit::none ? "memory" : name_of(unit); }

std::optional<Roof> roof_of(double flops, double bytes, Unit unit, const Ceilings& ceilings,
                            LinkBytes link) {
  struct Floor {
    std::string_view name;
    double work, rate;  // no work: no floor

    bool unknown() const { return work > 0.0 && !(rate > 0.0); }
    double ms() const { return work > 0.0 ? 1e3 * work / rate : 0.0; }
  };
  const Floor memory{roof_name(Unit::none), bytes, ceilings.copy_bytes_per_s};
  const Floor arithmetic{roof_name(unit), unit == Unit::none ? 0.0 : flops, ceilings.rate(unit)};
  const Floor in{"link to device", link.to_device, ceilings.to_device_bytes_per_s};
  const Floor out{"link to host", link.to_host, ceilings.to_host_bytes_per_s};
  const bool both = link.to_device > 0.0 && link.to_host > 0.0;
  const Floor link_floor{"link both ways", both ? link.to_device + link.to_host : 0.0,
                         ceilings.both_ways_bytes_per_s};
  const std::array floors{memory, arithmetic, in, out, link_floor};
  if (std::any_of(floors.begin(), floors.end(), [](const Floor& f) { return f.unknown(); }))
    return std::nullopt;
  const Floor& longest = *std::max_element(
      floors.begin(), floors.end(), [](const Floor& a, const Floor& b) { return a.ms() < b.ms(); });
  if (!(longest.ms() > 0.0)) return std::nullopt;
  Roof roof;
  roof.name = longest.name;
  roof.floor_ms = longest.ms();
  roof.memory_ms = memory.ms();
  roof.arithmetic_ms = arithmetic.ms();
  roof.link_ms = std::max({in.ms(), out.ms(), link_floor.ms()});
  roof.intensity = bytes > 0.0 ? flops / bytes : 0.0;
  roof.ridge = arithmetic.work > 0.0 && memory.rate > 0.0 ? arithmetic.rate / memory.rate : 0.0;
  return roof;
}

bool below_floor(double median_ms, const Roof& roof, double slack, MemoryFloor memory) {
  const double arithmetic_floor = roof.arithmetic_ms * (1.0 - slack);
  const double memory_floor = roof.memory_ms * memory.travel_share / memory.headroom;
  // Copies over the link have one speed; the clock that measured it had another temperature.
  const double link_floor = roof.link_ms * (1.0 - slack);
  // Written so that a NaN is below.
  return !(median_ms >= std::max({arithmetic_floor, memory_floor, link_floor}));
}

}  // namespace aisp::lab
