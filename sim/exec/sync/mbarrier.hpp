// Operations on mbarrier objects by address, for lanes and for asynchronous operations alike.
#pragma once

#include <cstdint>
#include <string>

#include "sim/machine/mbarrier.hpp"
#include "sim/machine/observer.hpp"
#include "sim/machine/warp.hpp"

namespace aisp::sim {

// Does it to the object at a shared::cluster address and returns the object as it was before.
// Faults on a dead object and on counts out of range; tells the cluster when a phase completes.
// Without an actor it is an asynchronous operation that does it.
MBarrier mbarrier_apply(Block& from, std::uint32_t address, MBarrierAction action,
                        std::uint32_t count, const MBarrierActor& actor = {});

// The object, alive; for those who only look.
MBarrier mbarrier_read(Block& from, std::uint32_t address);

// "mbarrier at shared offset 16 of block 0", for messages.
std::string mbarrier_text(std::uint32_t address);

}  // namespace aisp::sim
