// multimem instructions at multicast addresses: what access.hpp is to the others.
#pragma once

#include "sim/machine/access.hpp"
#include "sim/machine/multicast.hpp"

namespace aisp::sim {

// The bytes that the address of a lane stands for, in the order of the team, in at[0] and so on up
// to most_devices of them; returns how many. Throws Fault.
int resolve_multicast(Warp& warp, const MulticastTable& table, std::uint64_t address,
                      std::uint32_t bytes, Access access, int lane, std::byte** at);

}  // namespace aisp::sim
