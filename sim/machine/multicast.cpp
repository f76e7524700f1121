#include "sim/machine/multicast.hpp"

#include <algorithm>

namespace aisp::sim {

const MulticastRange* multicast_at(const MulticastTable& table, std::uint64_t address) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& range) { return range.contains(address); });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace aisp::sim
